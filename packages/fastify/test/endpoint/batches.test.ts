import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  initializeMessage,
  legacyMessage,
  legacyVersions,
  modernMessage,
  modernVersion,
  openApp,
  openSession,
  type Reply,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'

const say: TestTool = {
  name: 'say',
  inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  handler: ({ what }) => what,
}

const steps: TestTool = {
  name: 'steps',
  handler: async (_args, context) => {
    context.progress(1, 2, 'half')
    context.progress(2, 2)
    return 'done'
  },
}

const client: TestTool = { name: 'client', handler: (_args, { clientInfo }) => clientInfo?.name ?? 'unknown' }

const batchVersion = { 'mcp-protocol-version': '2025-03-26' }
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

let app: FastifyInstance
let legacy: TestClient

beforeAll(async () => {
  app = await openApp({ tools: [say, steps, client] })
  legacy = connectTo(app, { era: 'legacy' })
})

afterAll(closeApps)

function expectRejected({ status, json }: Reply, reason: string): void {
  expect([status, json]).toStrictEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32600, message: `Invalid Request: ${reason}` } },
  ])
}

function answer(id: number | string, text: string): object {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }
}

function progress(params: object): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params }
}

function watchedSteps(token: string, id: number) {
  return legacyMessage('tools/call', { ...toolCall('steps'), _meta: { progressToken: token } }, id)
}

describe('a batch of 2025-03-26', () => {
  it.each<[string, Record<string, string>]>([
    ['with its version in the header', batchVersion],
    ['without a version header', {}],
  ])('gets one array as response: %s', async (_what, headers) => {
    const reply = await legacy.send(
      [legacyMessage('tools/call', toolCall('say', { what: 'a' }), 'a'), notification, legacyMessage('ping', {}, 2)],
      headers,
    )

    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.json).toStrictEqual([answer('a', 'a'), { jsonrpc: '2.0', id: 2, result: {} }])
  })

  it('works in a session of that revision, and has the client info of the session', async () => {
    const session = await openSession(app, { version: '2025-03-26' })

    const reply = await session.send([legacyMessage('tools/call', toolCall('client'))])

    expect(reply.json).toStrictEqual([answer(1, 'raw')])
  })

  it('is rejected in a session of another revision', async () => {
    const opened = await legacy.initialize('2025-06-18')
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), ...batchVersion }

    expectRejected(
      await legacy.send([legacyMessage('ping')], headers),
      'this protocol version does not support batches',
    )
  })

  it('of one request gets an array, too', async () => {
    expect((await legacy.send([legacyMessage('ping')])).json).toStrictEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  it.each<[string, object[]]>([
    ['notifications', [notification, notification]],
    [
      'responses',
      [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', id: 2, error: { code: 1, message: '' } },
      ],
    ],
  ])('of %s only is accepted with 202', async (_what, messages) => {
    const reply = await legacy.send(messages)

    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it('gets a response for each message, including invalid ones', async () => {
    const reply = await legacy.send([
      1,
      null,
      [],
      {},
      { jsonrpc: '1.0', id: 5, method: 'ping' },
      { jsonrpc: '2.0', id: null, method: 'ping' },
      { jsonrpc: '2.0', id: 7 },
      legacyMessage('tools/call', toolCall('nobody'), 8),
      legacyMessage('tools/call', toolCall('say', { what: 1 }), 9),
      legacyMessage('tools/call', toolCall('say', { what: 'x' }), 10),
    ])

    expect(reply.status).toBe(200)
    expect(
      reply.json.map(({ id, error }: { id?: number; error?: { code: number } }) => [id, error?.code]),
    ).toStrictEqual([
      [undefined, -32600],
      [undefined, -32600],
      [undefined, -32600],
      [undefined, -32600],
      [5, -32600],
      [undefined, -32600],
      [7, -32600],
      [8, -32602],
      [9, -32602],
      [10, undefined],
    ])
  })

  it('with an id in flight in its session is rejected for that message only', async () => {
    // The last request of the batch ends the first one: on a busy machine, that could otherwise end before the second
    // one begins.
    let release = (_result: string): void => undefined
    const held = new Promise<string>((resolve) => {
      release = resolve
    })
    const hold: TestTool = { name: 'hold', handler: () => held }
    const letGo: TestTool = { name: 'let-go', handler: () => release('done') }
    const other = await openApp({ tools: [hold, letGo] })
    const session = await openSession(other, { version: '2025-03-26' })
    const twice = legacyMessage('tools/call', toolCall('hold'), 'same')

    const reply = await session.send([twice, twice, legacyMessage('tools/call', toolCall('let-go'), 'last')])

    expect(reply.json.slice(0, 2)).toStrictEqual([
      answer('same', 'done'),
      {
        jsonrpc: '2.0',
        id: 'same',
        error: { code: -32600, message: 'Invalid Request: a request with this id is in flight' },
      },
    ])
    await other.close()
  })

  it('can cancel a request of the same session', async () => {
    const waiting: TestTool = { name: 'wait', handler: () => new Promise<never>(() => undefined) }
    const other = await openApp({ tools: [waiting] })
    const session = await openSession(other, { version: '2025-03-26' })
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }

    const reply = await session.send([
      legacyMessage('tools/call', toolCall('wait'), 'w'),
      legacyMessage('ping', {}, 'p'),
      cancelled,
    ])

    expect(reply.json).toStrictEqual([{ jsonrpc: '2.0', id: 'p', result: {} }])
    await other.close()
  })

  it('reports progress as events before the array, which is the last event', async () => {
    const reply = await legacy.send([watchedSteps('one', 1), watchedSteps('two', 2)])

    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(reply.messages).toStrictEqual([
      progress({ progressToken: 'one', progress: 1, total: 2, message: 'half' }),
      progress({ progressToken: 'one', progress: 2, total: 2 }),
      progress({ progressToken: 'two', progress: 1, total: 2, message: 'half' }),
      progress({ progressToken: 'two', progress: 2, total: 2 }),
      [answer(1, 'done'), answer(2, 'done')],
    ])
  })

  it('may contain at most 100 messages', async () => {
    const pings = Array.from({ length: 101 }, (_, id) => legacyMessage('ping', {}, id))

    expect((await legacy.send(pings.slice(0, 100))).json).toHaveLength(100)
    expectRejected(await legacy.send(pings), 'a batch must have at most 100 messages')
  })

  it('may contain as many messages as the option allows', async () => {
    const small = await openApp({ limits: { maxBatch: 2 } })
    const clientOfSmall = connectTo(small, { era: 'legacy' })

    expect((await clientOfSmall.send([legacyMessage('ping'), legacyMessage('ping')])).status).toBe(200)
    expectRejected(
      await clientOfSmall.send([legacyMessage('ping'), legacyMessage('ping'), notification]),
      'a batch must have at most 2 messages',
    )
    expect(small.mcp.metrics().oversizedMessages).toBe(1)
    await small.close()
  })

  it('cannot be empty', async () => {
    expectRejected(await legacy.send([]), 'a batch must not be empty')
  })

  it('cannot contain initialize at any position', async () => {
    expectRejected(await legacy.send([initializeMessage('2025-03-26')]), '"initialize" must not be in a batch')
    expectRejected(
      await legacy.send([legacyMessage('ping'), initializeMessage('2025-03-26')]),
      '"initialize" must not be in a batch',
    )
  })

  it('cannot contain a modern message', async () => {
    const reason = 'this protocol version does not support batches'

    expectRejected(await legacy.send([legacyMessage('ping'), modernMessage('tools/list')]), reason)
    expectRejected(await legacy.send([modernMessage('tools/list')], { 'mcp-protocol-version': modernVersion }), reason)
  })
})

describe('revisions without batches', () => {
  it.each(legacyVersions.filter((version) => version !== '2025-03-26'))('reject batches: %s', async (version) => {
    for (const messages of [[legacyMessage('ping')], [notification], []]) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await legacy.send(messages, { 'mcp-protocol-version': version })
      expectRejected(reply, 'this protocol version does not support batches')
    }
  })

  it('reject batches: 2026-07-28', async () => {
    const reply = await legacy.send([legacyMessage('ping')], { 'mcp-protocol-version': modernVersion })

    expect([reply.status, reply.json.error.code]).toStrictEqual([400, -32600])
  })
})

test('a batch with too large a response is rejected as a whole', async () => {
  const large: TestTool = { name: 'large', handler: () => 'x'.repeat(3000) }
  const bounded = await openApp({ tools: [large], limits: { maxResultBytes: 10_000 } })
  const batch = Array.from({ length: 10 }, (_, id) => legacyMessage('tools/call', toolCall('large'), id))

  expect((await connectTo(bounded, { era: 'legacy' }).send(batch, batchVersion)).json).toStrictEqual({
    jsonrpc: '2.0',
    error: {
      code: -32603,
      message: 'The responses of the batch exceed 10000 bytes together. Send its messages one by one',
    },
  })
  expect(bounded.mcp.metrics().oversizedResults).toBe(1)
})
