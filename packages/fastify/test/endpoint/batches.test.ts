import type { FastifyInstance } from 'fastify'
import {
  call,
  closeApps,
  eventsOf,
  initialize,
  legacy,
  legacyVersions,
  modern,
  modernVersion,
  openApp,
  post,
  type Reply,
  type WireTool,
} from '../support/wire.js'

const say: WireTool = {
  name: 'say',
  inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  handler: ({ what }) => what,
}

const steps: WireTool = {
  name: 'steps',
  handler: async (_args, context) => {
    context.progress(1, 2, 'half')
    context.progress(2, 2)
    return 'done'
  },
}

const client: WireTool = { name: 'client', handler: (_args, { clientInfo }) => clientInfo?.name ?? 'unknown' }

const batchVersion = { 'mcp-protocol-version': '2025-03-26' }
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }

let app: FastifyInstance

beforeAll(async () => {
  app = await openApp({ tools: [say, steps, client] })
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
  return legacy('tools/call', { ...call('steps'), _meta: { progressToken: token } }, id)
}

describe('a batch of 2025-03-26', () => {
  it.each<[string, Record<string, string>]>([
    ['with its version in the header', batchVersion],
    ['without a version header', {}],
  ])('gets one array as response: %s', async (_what, headers) => {
    const reply = await post(
      app,
      [legacy('tools/call', call('say', { what: 'a' }), 'a'), notification, legacy('ping', {}, 2)],
      headers,
    )

    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.json).toStrictEqual([answer('a', 'a'), { jsonrpc: '2.0', id: 2, result: {} }])
  })

  it('works in a session of that revision, and has the client info of the session', async () => {
    const opened = await post(app, initialize('2025-03-26'))
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }

    const reply = await post(app, [legacy('tools/call', call('client'))], headers)

    expect(reply.json).toStrictEqual([answer(1, 'raw')])
  })

  it('is rejected in a session of another revision', async () => {
    const opened = await post(app, initialize('2025-06-18'))
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), ...batchVersion }

    expectRejected(await post(app, [legacy('ping')], headers), 'this protocol version has no batches')
  })

  it('of one request gets an array, too', async () => {
    expect((await post(app, [legacy('ping')])).json).toStrictEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
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
    const reply = await post(app, messages)

    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it('gets a response for each message, including invalid ones', async () => {
    const reply = await post(app, [
      1,
      null,
      [],
      {},
      { jsonrpc: '1.0', id: 5, method: 'ping' },
      { jsonrpc: '2.0', id: null, method: 'ping' },
      { jsonrpc: '2.0', id: 7 },
      legacy('tools/call', call('nobody'), 8),
      legacy('tools/call', call('say', { what: 1 }), 9),
      legacy('tools/call', call('say', { what: 'x' }), 10),
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
    const hold: WireTool = { name: 'hold', handler: () => held }
    const letGo: WireTool = { name: 'let-go', handler: () => release('done') }
    const other = await openApp({ tools: [hold, letGo] })
    const opened = await post(other, initialize('2025-03-26'))
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const twice = legacy('tools/call', call('hold'), 'same')

    const reply = await post(other, [twice, twice, legacy('tools/call', call('let-go'), 'last')], headers)

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
    const waiting: WireTool = { name: 'wait', handler: () => new Promise<never>(() => undefined) }
    const other = await openApp({ tools: [waiting] })
    const opened = await post(other, initialize('2025-03-26'))
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } }

    const reply = await post(
      other,
      [legacy('tools/call', call('wait'), 'w'), legacy('ping', {}, 'p'), cancelled],
      headers,
    )

    expect(reply.json).toStrictEqual([{ jsonrpc: '2.0', id: 'p', result: {} }])
    await other.close()
  })

  it('reports progress as events before the array, which is the last event', async () => {
    const reply = await post(app, [watchedSteps('one', 1), watchedSteps('two', 2)])

    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(eventsOf(reply.text)).toStrictEqual([
      progress({ progressToken: 'one', progress: 1, total: 2, message: 'half' }),
      progress({ progressToken: 'one', progress: 2, total: 2 }),
      progress({ progressToken: 'two', progress: 1, total: 2, message: 'half' }),
      progress({ progressToken: 'two', progress: 2, total: 2 }),
      [answer(1, 'done'), answer(2, 'done')],
    ])
  })

  it('may contain at most 100 messages', async () => {
    const pings = Array.from({ length: 101 }, (_, id) => legacy('ping', {}, id))

    expect((await post(app, pings.slice(0, 100))).json).toHaveLength(100)
    expectRejected(await post(app, pings), 'a batch has at most 100 messages')
  })

  it('may contain as many messages as the option allows', async () => {
    const small = await openApp({ limits: { maxBatch: 2 } })

    expect((await post(small, [legacy('ping'), legacy('ping')])).status).toBe(200)
    expectRejected(await post(small, [legacy('ping'), legacy('ping'), notification]), 'a batch has at most 2 messages')
    expect(small.mcp.metrics().oversizedMessages).toBe(1)
    await small.close()
  })

  it('cannot be empty', async () => {
    expectRejected(await post(app, []), 'a batch must not be empty')
  })

  it('cannot contain initialize at any position', async () => {
    expectRejected(await post(app, [initialize('2025-03-26')]), '"initialize" must not be in a batch')
    expectRejected(await post(app, [legacy('ping'), initialize('2025-03-26')]), '"initialize" must not be in a batch')
  })

  it('cannot contain a modern message', async () => {
    const reason = 'this protocol version has no batches'

    expectRejected(await post(app, [legacy('ping'), modern('tools/list')]), reason)
    expectRejected(await post(app, [modern('tools/list')], { 'mcp-protocol-version': modernVersion }), reason)
  })
})

describe('revisions without batches', () => {
  it.each(legacyVersions.filter((version) => version !== '2025-03-26'))('reject batches: %s', async (version) => {
    for (const messages of [[legacy('ping')], [notification], []]) {
      // oxlint-disable-next-line no-await-in-loop
      const reply = await post(app, messages, { 'mcp-protocol-version': version })
      expectRejected(reply, 'this protocol version has no batches')
    }
  })

  it('reject batches: 2026-07-28', async () => {
    const reply = await post(app, [legacy('ping')], { 'mcp-protocol-version': modernVersion })

    expect([reply.status, reply.json.error.code]).toStrictEqual([400, -32600])
  })
})

test('a batch with too large a response is rejected as a whole', async () => {
  const large: WireTool = { name: 'large', handler: () => 'x'.repeat(3000) }
  const bounded = await openApp({ tools: [large], limits: { maxResultBytes: 10_000 } })
  const batch = Array.from({ length: 10 }, (_, id) => legacy('tools/call', call('large'), id))

  expect((await post(bounded, batch, batchVersion)).json).toStrictEqual({
    jsonrpc: '2.0',
    error: {
      code: -32603,
      message: 'The responses of the batch exceed 10000 bytes together. Send its messages one by one',
    },
  })
  expect(bounded.mcp.metrics().oversizedResults).toBe(1)
})
