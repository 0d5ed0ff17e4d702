// A call whose session ended got 202 without a body, so that its client waited until it timed out.
import { type FastifyInstance } from 'fastify'
import { messagesIn, openSession } from '../support/events.js'
import {
  call,
  closeApps,
  createGate,
  type Gate,
  initialize,
  legacy,
  listen,
  openApp,
  post,
  sessionsOf,
  until,
  type WireTool,
} from '../support/wire.js'

let gate: Gate
let running = 0
beforeEach(() => {
  gate = createGate()
  running = 0
})
afterEach(async () => {
  gate.open()
  await closeApps()
})

const waits: WireTool = {
  name: 'wait',
  handler: async () => {
    running++
    await gate.opened
    return 'done'
  },
}
const reports: WireTool = {
  name: 'report',
  handler: async (_args, context) => {
    context.progress({ progress: 1 })
    running++
    await gate.opened
    return 'done'
  },
}

const notFound = (id: number | string) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32600, message: expect.stringContaining('Session not found') },
})

async function openWaiting(options: object = {}): Promise<FastifyInstance> {
  return openApp({ tools: [waits, reports], ...options })
}

async function open(app: FastifyInstance, version = '2025-11-25'): Promise<Record<string, string>> {
  const reply = await post(app, initialize(version))
  return { 'mcp-session-id': String(reply.headers['mcp-session-id']) }
}

const endings: readonly [string, (app: FastifyInstance, headers: Record<string, string>) => unknown][] = [
  ['DELETE', (app, headers) => app.inject({ method: 'DELETE', url: '/mcp', headers })],
  ['its end in the store', (app, headers) => sessionsOf(app).ended(String(headers['mcp-session-id']))],
]

describe.each(endings)('a call in a session that ends by %s', (_how, end) => {
  it('gets 404 and an error with its id', async () => {
    const app = await openWaiting()
    const headers = await open(app)
    const calling = post(app, legacy('tools/call', call('wait'), 'mine'), headers)
    await until(() => running === 1)
    await end(app, headers)
    const reply = await calling
    expect([reply.status, reply.json]).toEqual([404, notFound('mine')])
  })

  it.each(['2025-06-18', '2025-11-25'])('gets that error as the last event of an open stream: %s', async (version) => {
    const app = await openWaiting()
    const client = await openSession(app, await listen(app), version)
    const progress = { ...call('report'), _meta: { progressToken: 1 } }
    const reader = await client.post(legacy('tools/call', progress, 7))
    await until(() => running === 1)
    await end(app, { 'mcp-session-id': client.sessionId })
    expect(messagesIn(await reader.rest())).toEqual([
      expect.objectContaining({ method: 'notifications/progress' }),
      notFound(7),
    ])
    client.close()
  })

  it('gets that error on the connection of a reconnecting client', async () => {
    const app = await openWaiting()
    const client = await openSession(app, await listen(app))
    const reader = await client.post(legacy('tools/call', { ...call('report'), _meta: { progressToken: 1 } }, 7))
    const [priming] = await reader.take(2)
    reader.cut()
    const resumed = await client.resume(priming?.id)
    await resumed.take(1)
    await end(app, { 'mcp-session-id': client.sessionId })
    expect(messagesIn(await resumed.rest())).toEqual([notFound(7)])
    client.close()
  })

  it('gets the error for its part of a batch', async () => {
    const app = await openWaiting()
    const headers = await open(app, '2025-03-26')
    const batch = [legacy('tools/call', call('wait'), 1), legacy('ping', {}, 2)]
    const calling = post(app, batch, headers)
    await until(() => running === 1)
    await end(app, headers)
    const reply = await calling
    expect([reply.status, reply.json]).toEqual([404, [notFound(1), { jsonrpc: '2.0', id: 2, result: {} }]])
  })
})

describe('a call that its client cancelled', () => {
  const cancel = (requestId: unknown) => legacy('notifications/cancelled', { requestId }, undefined)

  it.each([
    ['gets a stream without messages', undefined, 'text/event-stream', ''],
    [
      'gets an error if the client accepts no event streams',
      'application/json',
      'application/json; charset=utf-8',
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The request was cancelled"}}',
    ],
  ])('%s', async (_title, accept, type, text) => {
    const app = await openWaiting()
    const headers = await open(app)
    const calling = post(
      app,
      legacy('tools/call', call('wait'), 1),
      accept === undefined ? headers : { ...headers, accept },
    )
    await until(() => running === 1)
    const { id: _none, ...notification } = cancel(1)
    await post(app, notification, headers)
    const reply = await calling
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, type, text])
  })

  it('gets the status 200 in a batch', async () => {
    const app = await openWaiting()
    const headers = await open(app, '2025-03-26')
    const calling = post(app, [legacy('tools/call', call('wait'), 1)], headers)
    await until(() => running === 1)
    const { id: _none, ...notification } = cancel(1)
    await post(app, notification, headers)
    expect((await calling).status).toBe(200)
  })
})
