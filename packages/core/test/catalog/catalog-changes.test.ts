import { EventEmitter, once } from 'node:events'
import type { Client } from '@modelcontextprotocol/client'
import { McpTool, result, Type, text } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

class FirstTools {
  @McpTool({ description: 'There from the start' })
  first(): string {
    return 'first'
  }
}

const options: ServerOptions = { name: 'changing', version: '1.0.0', controllers: [FirstTools] }

async function listNames(client: Client): Promise<string[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name }) => name)
}

describe.each(lanes)('the catalog over $lane, $era', (lane) => {
  it('serves a tool from the moment it is added', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    expect(await listNames(client)).toEqual(['first'])
    server.catalog.addTool({
      name: 'double',
      title: 'Double',
      input: Type.Object({ value: Type.Number() }),
      output: Type.Object({ value: Type.Number() }),
      handler: ({ value }, context) => {
        context.progress(1)
        return { value: value * 2 }
      },
    })
    const { tools } = await client.listTools()
    expect(tools).toEqual([
      {
        name: 'double',
        title: 'Double',
        inputSchema: { type: 'object', required: ['value'], properties: { value: { type: 'number' } } },
        outputSchema: { type: 'object', required: ['value'], properties: { value: { type: 'number' } } },
      },
      expect.objectContaining({ name: 'first' }),
    ])
    const reported: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void reported.push(progress)
    expect(await client.callTool({ name: 'double', arguments: { value: 4 } }, { onprogress })).toMatchObject({
      structuredContent: { value: 8 },
    })
    expect(reported).toEqual([1])
    expect(await client.callTool({ name: 'double', arguments: { value: 'four' } })).toMatchObject({ isError: true })
  })

  it('stops serving a tool from the moment it is removed', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    expect(await listNames(client)).toEqual(['first'])
    expect(server.catalog.removeTool('first')).toBe(true)
    expect(await listNames(client)).toEqual([])
    await expect(client.callTool({ name: 'first' })).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: first',
    })
    expect(server.catalog.removeTool('first')).toBe(false)
  })

  it('finishes a call whose tool is removed or replaced meanwhile', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    const events = new EventEmitter()
    const started = once(events, 'started')
    server.catalog.addTool({
      name: 'slow',
      handler: async () => {
        const finish = once(events, 'finish')
        events.emit('started')
        await finish
        return 'the old one'
      },
    })
    const call = client.callTool({ name: 'slow' })
    await started
    server.catalog.removeTool('slow')
    server.catalog.addTool({ name: 'slow', handler: () => result({ content: [text('the new one')] }) })
    expect((await client.callTool({ name: 'slow' })).content).toEqual([{ type: 'text', text: 'the new one' }])
    events.emit('finish')
    expect((await call).content).toEqual([{ type: 'text', text: 'the old one' }])
  })

  it('keeps serving the previous tools when a tool cannot be added', async () => {
    await using connection = await connect(options, lane)
    const { client, server } = connection
    expect(() => server.catalog.addTool({ name: 'first', handler: () => 'second' })).toThrow(
      "Tool 'first' is already served. Remove it first, or choose another name.",
    )
    expect(() => server.catalog.addTool({ name: 'not a name', handler: () => 'second' })).toThrow(
      "'not a name' is not a valid tool name.",
    )
    expect(await listNames(client)).toEqual(['first'])
    expect((await client.callTool({ name: 'first' })).content).toEqual([{ type: 'text', text: 'first' }])
  })
})

it.each([
  ['description', { description: 5 }, "tool 'odd': 'description' must be a string, got a number."],
  ['icons', { icons: 'https://example.com/x.svg' }, "tool 'odd': 'icons' must be an array, got a string."],
  [
    '_meta',
    { _meta: { n: 1n } },
    "tool 'odd': its options cannot be listed as JSON: Do not know how to serialize a BigInt",
  ],
  ['handler', { handler: undefined }, "tool 'odd': its handler is undefined. Give a function."],
  ['maxConcurrent', { maxConcurrent: 0 }, "tool 'odd': maxConcurrent is 0. Give a whole number of at least 1."],
  ['maxResultBytes', { maxResultBytes: 0 }, "tool 'odd': maxResultBytes is 0. Give a number of at least 1."],
  ['maxResultBytes', { maxResultBytes: NaN }, "tool 'odd': maxResultBytes is NaN. Give a number of at least 1."],
  ['maxConcurrent', { maxConcurrent: 1.5 }, "tool 'odd': maxConcurrent is 1.5. Give a whole number of at least 1."],
  [
    'rateLimit',
    { rateLimit: { calls: 1, windowMs: 1, per: 'user' } },
    "tool 'odd': rateLimit.per is the string 'user'. Give 'caller' or 'tool'.",
  ],
])('the catalog rejects a tool with a malformed %s', async (_member, malformed, message) => {
  await using connection = await connect(options)
  const tool = { name: 'odd', handler: () => '', ...malformed }
  expect(() => connection.server.catalog.addTool(tool as never)).toThrow(message)
})
