import { ClientError, type ConnectOptions, connect, type Target } from '@toolwright/client'
import { McpContext, McpController, McpTool, type Static, Type } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { createServer } from '@toolwright/server'
import Fastify from 'fastify'
import { pino } from 'pino'
import { serveFake } from '../support/fake-server.js'

const limit = 100_000
const Count = Type.Object({ count: Type.Integer() })

@McpController()
class LetterTools {
  @McpTool({ description: 'Returns letters', input: Count })
  letters({ count }: Static<typeof Count>): string {
    return 'x'.repeat(count)
  }

  @McpTool({ description: 'Returns letters after progress, over HTTP as an event stream', input: Count })
  lettersWithProgress({ count }: Static<typeof Count>, context: McpContext): string {
    context.progress(1, 2)
    return 'x'.repeat(count)
  }
}

async function serveLetters() {
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'letters', version: '1.0.0', controllers: [LetterTools], logger })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(mcp, { server, allowAnonymous: true, webSocket: true, sessions: true, drainTimeoutMs: 0 })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { http: `${address}/mcp`, webSocket: `${address.replace('http', 'ws')}/ws`, close: () => app.close() }
}

async function expectTooLarge(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ClientError)
  expect(error).toMatchObject({
    code: 'too-large',
    message: `A response of the server has more than ${limit} bytes. Raise \`maxResponseBytes\` of connect.`,
  })
}

const program = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    'tools/list': { tools: [{ name: 'letters', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'x'.repeat(params?.arguments?.count ?? 0) }] },
  }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }))
})`

describe.each(['modern', 'legacy'] as const)('a response above maxResponseBytes, %s', (era) => {
  test.each([
    ['http', false],
    ['http', true],
    ['webSocket', false],
  ] as const)('rejects the call over %s (event stream: %s)', async (transport, isStream) => {
    const served = await serveLetters()
    const options: ConnectOptions = { era, maxResponseBytes: limit, timeoutMs: 20_000 }
    await using client = await connect(served[transport], options)
    const letters = client.tools<LetterTools>()
    const call = (count: number) => (isStream ? letters.lettersWithProgress({ count }) : letters.letters({ count }))
    expect(await call(limit / 2)).toHaveLength(limit / 2)
    const large = call(2 * limit)
    if (isStream) void large.progress
    await expectTooLarge(large)
    const next = call(limit / 2)
    if (isStream) void next.progress
    expect(await next).toHaveLength(limit / 2)
    await served.close()
  })
})

test('a response above maxResponseBytes rejects the call over stdio', async () => {
  const target: Target = { command: process.execPath, args: ['-e', program] }
  await using client = await connect(target, { era: 'legacy', maxResponseBytes: limit, timeoutMs: 20_000 })
  expect(await client.call('letters', { count: limit / 2 })).toHaveLength(limit / 2)
  await expectTooLarge(client.call('letters', { count: 2 * limit }))
  expect(await client.call('letters', { count: limit / 2 })).toHaveLength(limit / 2)
})

test('a list without an end is read up to maxResponseBytes', async () => {
  let written = 0
  await using server = await serveFake(({ method }, response) => {
    if (method !== 'tools/list') return undefined
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"tools":[')
    const piece = '{"name":"a","inputSchema":{"type":"object"}},'.repeat(1000)
    const write = (): void => {
      written += piece.length
      if (!response.destroyed) response.write(piece, () => setImmediate(write))
    }
    write()
    return null
  })
  await using client = await connect(server.url, { era: 'legacy', maxResponseBytes: limit })
  await expectTooLarge(client.allTools())
  expect(written).toBeLessThan(200 * limit)
})

test('many short events of one stream are no large response', async () => {
  await using server = await serveFake(({ method, id, params }, response) => {
    if (method !== 'tools/call') return undefined
    const { progressToken } = (params?.['_meta'] ?? {}) as { progressToken?: number }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let progress = 1; progress <= 200; progress++) {
      const update = { progressToken, progress, message: 'x'.repeat(1000) }
      const message = { jsonrpc: '2.0', method: 'notifications/progress', params: update }
      response.write(`event: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`)
    }
    const result = { content: [{ type: 'text', text: 'done' }] }
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    return null
  })
  await using client = await connect(server.url, { era: 'legacy', maxResponseBytes: limit })
  const steps: number[] = []
  expect(await client.call('echo', {}, { onProgress: ({ progress }) => void steps.push(progress) })).toBe('done')
  expect(steps).toHaveLength(200)
})
