import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { connect, type Lane, lanes } from '@toolwright/testing'
import { createHost, McpTool, type ServerOptions } from 'toolwright'
import { z } from 'zod'
import { serveOld, tellModels } from '../../docs/snippets/migrate-endpoints.js'
import { bridge } from '../../docs/snippets/migrate-tool-by-tool.js'

// The guide for servers that move one tool at a time, with a server of the official SDK.

const runs: string[] = []

function createOld(): OldServer {
  const old = new OldServer({ name: 'old', version: '1.0.0' })
  old.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: 'text', text: `old: ${a + b}` }],
  }))
  old.registerTool(
    'measure',
    { description: 'Measures', outputSchema: { metres: z.number() }, annotations: { readOnlyHint: true } },
    () => ({ content: [{ type: 'text', text: 'two' }], structuredContent: { metres: 2 } }),
  )
  old.registerTool('fail', {}, () => {
    throw new Error('No such station. Try Lisbon.')
  })
  old.registerTool('ask', {}, async () => {
    runs.push('ask')
    const { action } = await old.server.elicitInput({
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: {} },
    })
    return { content: [{ type: 'text', text: action }] }
  })
  old.registerTool('wait', {}, async ({ signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken as number
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } })
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    runs.push('aborted')
    return { content: [] }
  })
  return old
}

class MovedTools {
  @McpTool({ description: 'Adds two numbers' })
  add(): string {
    return 'new'
  }

  @McpTool({ description: 'Fails' })
  break(): string {
    throw new Error('The disk is full.')
  }
}

type Connection = Awaited<ReturnType<typeof connect>>
const open: Connection[] = []

async function start(options: Partial<ServerOptions> = {}, lane: Partial<Lane> = {}): Promise<Connection['client']> {
  const connection = await connect({ name: 'moving', version: '1.0.0', controllers: [MovedTools], ...options }, lane)
  open.push(connection)
  return connection.client
}

/** Starts a server with the bridge of the guide. */
async function startBridged(lane?: Lane): Promise<Connection['client']> {
  let closeBridge = async (): Promise<void> => undefined
  return start(
    {
      async onReady({ catalog }) {
        closeBridge = await bridge(createOld(), catalog)
      },
      onClose: () => closeBridge(),
    },
    lane,
  )
}

beforeEach(() => {
  runs.length = 0
})

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()))
})

describe('a server that moves tool by tool', () => {
  test.each(lanes)('lists and calls old and moved tools ($lane, $era)', async (lane) => {
    const client = await startBridged(lane)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['add', 'ask', 'break', 'fail', 'measure', 'wait'])
    expect(tools.find(({ name }) => name === 'measure')).toMatchObject({
      description: 'Measures',
      annotations: { readOnlyHint: true },
      outputSchema: { properties: { metres: { type: 'number' } } },
    })
    expect(await client.callTool({ name: 'add' })).toMatchObject({ content: [{ type: 'text', text: 'new' }] })
    expect(await client.callTool({ name: 'measure' })).toMatchObject({
      content: [{ type: 'text', text: 'two' }],
      structuredContent: { metres: 2 },
    })
  })

  test('passes the text of an error to the model', async () => {
    const client = await startBridged()
    const answer = await client.callTool({ name: 'fail' })
    expect(answer).toMatchObject({ isError: true, content: [{ text: 'No such station. Try Lisbon.' }] })
  })

  test('rejects a question of an old tool, which has run once', async () => {
    const client = await startBridged()
    const answer = await client.callTool({ name: 'ask' })
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('elicitation') }] })
    expect(runs).toEqual(['ask'])
  })

  test('passes progress and cancellation on', async () => {
    const client = await startBridged()
    const abort = new AbortController()
    const seen: number[] = []
    const call = client.callTool(
      { name: 'wait' },
      {
        signal: abort.signal,
        onprogress: ({ progress }: { progress: number }) => {
          seen.push(progress)
          abort.abort()
        },
      },
    )
    await expect(call).rejects.toThrow('aborted')
    while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect([seen, runs]).toEqual([[1], ['aborted']])
  })

  test('serves the old server at another path', async () => {
    const host = await createHost({
      name: 'moving',
      version: '1.0.0',
      controllers: [MovedTools],
      fastify: { logger: false },
    })
    serveOld(host, createOld)
    const response = await host.inject({
      method: 'POST',
      url: '/old/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
    })
    expect(response.body).toContain('old: 3')
    await host.close()
  })

  test('tells models the text of all errors, with the hook', async () => {
    const client = await start({ hooks: [tellModels] })
    const answer = await client.callTool({ name: 'break' })
    expect(answer).toMatchObject({ isError: true, content: [{ text: 'The disk is full.' }] })
  })
})
