// A call whose session ended got 202 without a body, so that its client waited until it timed out.
import { type FastifyInstance } from 'fastify'
import {
  closeApps,
  legacyMessage,
  messagesIn,
  openApp,
  openSession,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { sessionsOf } from '../support/sessions.js'

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

const waits: TestTool = {
  name: 'wait',
  handler: async () => {
    running++
    await gate.opened
    return 'done'
  },
}
const reports: TestTool = {
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

const endings: readonly [string, (client: TestClient) => unknown][] = [
  ['DELETE', (client) => client.end()],
  ['its end in the store', ({ app, sessionId }) => sessionsOf(app).held.ended(sessionId)],
]

describe.each(endings)('a call in a session that ends by %s', (_how, end) => {
  it('gets 404 and an error with its id', async () => {
    const app = await openWaiting()
    const session = await openSession(app)
    const calling = session.call('wait', {}, { id: 'mine' })
    await until(() => running === 1)
    await end(session)
    const reply = await calling
    expect([reply.status, reply.json]).toEqual([404, notFound('mine')])
  })

  it.each(['2025-06-18', '2025-11-25'])('gets the error as the last event of an open stream: %s', async (version) => {
    const app = await openWaiting()
    const client = await openSession(app, { version })
    const progress = { ...toolCall('report'), _meta: { progressToken: 1 } }
    const reader = await client.stream(legacyMessage('tools/call', progress, 7))
    await until(() => running === 1)
    await end(client)
    expect(messagesIn(await reader.rest())).toEqual([
      expect.objectContaining({ method: 'notifications/progress' }),
      notFound(7),
    ])
    client.close()
  })

  it('gets the error on the connection of a reconnecting client', async () => {
    const app = await openWaiting()
    const client = await openSession(app)
    const reader = await client.stream(
      legacyMessage('tools/call', { ...toolCall('report'), _meta: { progressToken: 1 } }, 7),
    )
    const [priming] = await reader.take(2)
    reader.cut()
    const resumed = await client.resume(priming?.id)
    await resumed.take(1)
    await end(client)
    expect(messagesIn(await resumed.rest())).toEqual([notFound(7)])
    client.close()
  })

  it('gets the error for its part of a batch', async () => {
    const app = await openWaiting()
    const session = await openSession(app, { version: '2025-03-26' })
    const batch = [legacyMessage('tools/call', toolCall('wait'), 1), legacyMessage('ping', {}, 2)]
    const calling = session.send(batch)
    await until(() => running === 1)
    await end(session)
    const reply = await calling
    expect([reply.status, reply.json]).toEqual([404, [notFound(1), { jsonrpc: '2.0', id: 2, result: {} }]])
  })
})

describe('a call that its client cancelled', () => {
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
    const session = await openSession(app)
    const calling = session.call('wait', {}, { headers: accept === undefined ? {} : { accept } })
    await until(() => running === 1)
    await session.notify('notifications/cancelled', { requestId: 1 })
    const reply = await calling
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, type, text])
  })

  it('gets the status 200 in a batch', async () => {
    const app = await openWaiting()
    const session = await openSession(app, { version: '2025-03-26' })
    const calling = session.send([legacyMessage('tools/call', toolCall('wait'), 1)])
    await until(() => running === 1)
    await session.notify('notifications/cancelled', { requestId: 1 })
    expect((await calling).status).toBe(200)
  })
})
