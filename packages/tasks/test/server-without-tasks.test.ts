import { BootError, createServer, McpTool } from '@toolwright/core'
import { openRawClient } from '../../core/test/support/raw-client.js'

const identity = { name: 'plain', version: '1.0.0' }
const extensions = { 'io.modelcontextprotocol/tasks': {} }

class RenderTools {
  @McpTool({ description: 'Renders a film', task: 'optional' })
  render(): string {
    return 'rendered'
  }
}

class ExportTools {
  @McpTool({ description: 'Exports a film', task: 'required' })
  exportFilm(): string {
    return 'exported'
  }
}

describe('createServer of core, which has no tasks', () => {
  test('serves an optional tool as an ordinary tool, and declares no extension', async () => {
    const server = await createServer({ ...identity, controllers: [RenderTools] })
    await using client = openRawClient(server)
    const called = await client.modern('tools/call', { name: 'render' }, { extensions })
    expect(called.result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'rendered' }] })
    const { result } = await client.modern('server/discover', {})
    expect(result.capabilities.extensions).toBeUndefined()
    const { error } = await client.modern('tasks/get', { taskId: 'x' }, { extensions })
    expect(error.code).toBe(-32601)
    await server.close()
  })

  test('rejects a tool that only runs as a task', async () => {
    const booting = createServer({ ...identity, controllers: [ExportTools] })
    await expect(booting).rejects.toThrow(BootError)
    await expect(booting).rejects.toThrow(
      "Tool 'export_film' has task: 'required', but this server has no tasks. Create the server with createServer of " +
        "@toolwright/server, or give `task: 'optional'`.",
    )
  })

  test('fails calls of such a tool that was added later', async () => {
    const server = await createServer({ ...identity, controllers: [] })
    server.catalog.addTool({
      name: 'export',
      description: 'Exports a film',
      task: 'required',
      handler: () => 'exported',
    })
    await using client = openRawClient(server)
    const { result } = await client.modern('tools/call', { name: 'export' }, { extensions })
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "Tool 'export' only runs as a task, which this server does not support." }],
    })
    await server.close()
  })
})
