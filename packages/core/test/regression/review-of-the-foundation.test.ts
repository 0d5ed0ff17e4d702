import { connectInMemory, createServer, McpContext, McpTool, ProtocolError, type ServerOptions } from '@toolwright/core'

// Each of these once crashed the process, blocked it, or let something out that may not leave.

interface Response {
  readonly id?: number
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

async function serve(options: Partial<ServerOptions>) {
  const server = await createServer({ name: 'test', version: '1', controllers: [], ...options })
  const received: Response[] = []
  const waiting: ((response: Response) => void)[] = []
  const client = connectInMemory(server, {
    onMessage: (message) => {
      received.push(message as Response)
      waiting.shift()?.(message as Response)
    },
  })
  const send = (message: unknown): Promise<Response> => {
    const response = new Promise<Response>((resolve) => waiting.push(resolve))
    client.send(message)
    return response
  }
  const call = (name: string, id = 1) => send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
  return { server, client, send, call, received }
}

it('a default of a raw output schema does not stand for what a handler left out', async () => {
  const outputSchema = { type: 'object', properties: { a: { type: 'number', default: 1 } }, required: ['a'] }
  const { server, call } = await serve({})
  server.catalog.addTool({ name: 'empty', outputSchema, handler: () => ({}) })
  expect((await call('empty')).result).toMatchObject({ isError: true })
})

it.each([
  ['BigInt', { n: 1n }],
  [
    'a circle',
    (() => {
      const data: Record<string, unknown> = {}
      data['self'] = data
      return data
    })(),
  ],
  ['too much', { text: 'x'.repeat(5000) }],
])('an error of a handler with %s as its data is sent without', async (_, data) => {
  const { server, call } = await serve({})
  const handler = (): never => {
    throw new ProtocolError('invalidParams', 'No', data)
  }
  server.catalog.addTool({ name: 'fails', handler })
  expect((await call('fails')).error).toEqual({ code: -32602, message: 'No' })
})

it('a batch whose answers are too much together is refused as a whole', async () => {
  const { server, send } = await serve({ limits: { maxResultBytes: 10_000 } })
  server.catalog.addTool({ name: 'large', handler: () => 'x'.repeat(3000) })
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
  await send(initialize)
  const batch = Array.from({ length: 10 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'large' },
  }))
  expect(await send(batch)).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32603,
      message: 'The answers of the batch have more than 10000 bytes together. Send its messages alone',
    },
  })
  expect(server.figures().oversizedResults).toBe(1)
})

it.each([
  ['resources/read', { uri: 'notes://large' }, "Resource 'notes://large'"],
  ['prompts/get', { name: 'large' }, "Prompt 'large'"],
])('a result of %s that is too large is not sent', async (method, params, what) => {
  const { server, send } = await serve({ limits: { maxResultBytes: 10_000 } })
  server.catalog.addResource({ uri: 'notes://large', name: 'large', handler: () => 'é'.repeat(5000) })
  server.catalog.addPrompt({ name: 'large', handler: () => 'é'.repeat(5000) })
  expect(await send({ jsonrpc: '2.0', id: 1, method, params })).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: `${what} returned more than 10000 bytes. Ask for less` },
  })
  expect(server.figures().oversizedResults).toBe(1)
})

class Busy {
  @McpTool({ timeoutMs: 50 })
  *busy(context: McpContext): Generator<{ progress: number }, string> {
    const end = performance.now() + 2000
    for (let progress = 1; performance.now() < end && !context.signal.aborted; progress++) yield { progress }
    return 'done'
  }
}

it('a generator that never waits leaves time for everything else, and for its own limit', async () => {
  const { call } = await serve({ controllers: [Busy] })
  const begin = performance.now()
  expect((await call('busy')).result).toMatchObject({ isError: true })
  expect(performance.now() - begin).toBeLessThan(1500)
})

it('unknown names are compared with a bounded number of others', async () => {
  const { server, call } = await serve({})
  const long = 'x'.repeat(110)
  for (let index = 0; index < 3000; index++) server.catalog.addTool({ name: `${long}_${index}`, handler: () => '' })
  await call('unknown')
  const begin = performance.now()
  await call(`${long}_none`)
  expect(performance.now() - begin).toBeLessThan(200)
})

it.each([
  ['description', { description: 5 }, "tool 'odd': 'description' must be string, but it is a number."],
  ['icons', { icons: 'https://example.com/x.svg' }, "tool 'odd': 'icons' must be array, but it is a string."],
  [
    '_meta',
    { _meta: { n: 1n } },
    "tool 'odd': its options cannot be listed as JSON: Do not know how to serialize a BigInt",
  ],
  ['handler', { handler: undefined }, "tool 'odd': its handler is undefined. Give a function."],
])('a tool with a malformed %s is refused', async (_, options, message) => {
  const { server } = await serve({})
  const tool = { name: 'odd', handler: () => '', ...options }
  expect(() => server.catalog.addTool(tool as never)).toThrow(message)
})

it('a raw schema that is changed afterwards is listed and enforced as it was', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } } }
  const { server } = await serve({})
  server.catalog.addTool({ name: 'raw', inputSchema, handler: () => '' })
  inputSchema.properties.a.type = 'string'
  expect(server.catalog.tools.get('raw')?.input.wire).toEqual({ type: 'object', properties: { a: { type: 'number' } } })
})

it('a log message that is no JSON does not fail the call', async () => {
  const { server, call } = await serve({})
  server.catalog.addTool({
    name: 'logs',
    handler: (_, context) => {
      context.sendLogMessage('error', 1n)
      return 'fine'
    },
  })
  expect((await call('logs')).result).toEqual({ content: [{ type: 'text', text: 'fine' }] })
})
