import type { FastifyInstance } from 'fastify'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { createWaitingTool } from '../support/waiting-tool.js'
import {
  call,
  closeApps,
  delay,
  initialize,
  legacy,
  legacyVersions,
  modern,
  modernVersion,
  openApp,
  post,
  postModern,
  type Reply,
  until,
  type WireTool,
} from '../support/wire.js'

/** Returns the revision and the client info of the session. */
const whoami: WireTool = {
  name: 'whoami',
  handler: (_args, { protocolVersion, clientInfo, clientCapabilities }) => ({
    protocolVersion,
    client: clientInfo?.name ?? null,
    clientCapabilities,
  }),
}

/** Timers that keep running while the test controls the clock and the checks for idle sessions. */
const timersOfRequests = [
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const

async function open(app: FastifyInstance, version = '2025-11-25', params: object = {}): Promise<string> {
  const reply = await post(app, initialize(version, params))
  expect(reply.status).toBe(200)
  return String(reply.headers['mcp-session-id'])
}

function end(app: FastifyInstance, headers: Record<string, string>) {
  return app.inject({ method: 'DELETE', url: '/mcp', headers })
}

/** The response to every use of an unknown session. */
function expectUnknown({ status, json }: Reply): void {
  expect([status, json.error.code]).toStrictEqual([404, -32600])
}

afterEach(closeApps)

describe('a session', () => {
  it('begins with initialize, under a new id of visible ASCII', async () => {
    const app = await openApp()

    const ids = await Promise.all(Array.from({ length: 20 }, () => open(app)))

    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(app.mcp.metrics().sessions.value).toBe(20)
  })

  it.each(legacyVersions)('stores the agreed revision %s and the client info', async (version) => {
    const app = await openApp({ tools: [whoami] })
    const id = await open(app, version, { capabilities: { sampling: {} } })

    const reply = await post(app, legacy('tools/call', call('whoami')), { 'mcp-session-id': id })

    expect(JSON.parse(reply.json.result.content[0].text)).toStrictEqual({
      protocolVersion: version,
      client: 'raw',
      clientCapabilities: { sampling: {} },
    })
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
  })

  it('accepts a client without client info', async () => {
    sendsHostileRequests()
    const app = await openApp({ tools: [whoami] })
    const headers = { 'mcp-session-id': await open(app, '2025-11-25', { clientInfo: undefined }) }

    const reply = await post(app, legacy('tools/call', call('whoami')), headers)

    expect(JSON.parse(reply.json.result.content[0].text).client).toBeNull()
  })

  it('keeps the agreed revision when the header names another legacy version', async () => {
    const app = await openApp({ tools: [whoami] })
    const headers = { 'mcp-session-id': await open(app, '2025-06-18'), 'mcp-protocol-version': '2024-11-05' }

    const reply = await post(app, legacy('tools/call', call('whoami')), headers)

    expect(JSON.parse(reply.json.result.content[0].text).protocolVersion).toBe('2025-06-18')
  })

  it('rejects an unsupported version header', async () => {
    const app = await openApp()
    const headers = { 'mcp-session-id': await open(app), 'mcp-protocol-version': '1900-01-01' }

    const replies = [
      await post(app, legacy('tools/list'), headers),
      await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers),
    ]
    const deleted = await end(app, headers)

    expect(replies.map(({ status }) => status)).toStrictEqual([400, 400])
    expect([deleted.statusCode, app.mcp.metrics().sessions.value]).toStrictEqual([400, 1])
  })

  it('is served without notifications/initialized, and accepts it', async () => {
    const app = await openApp()
    const headers = { 'mcp-session-id': await open(app) }

    expect((await post(app, legacy('tools/list'), headers)).status).toBe(200)
    const reply = await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it('ends with DELETE, and requests in it then get 404', async () => {
    const app = await openApp()
    const headers = { 'mcp-session-id': await open(app) }
    const deleted = await end(app, headers)

    expect([deleted.statusCode, deleted.body]).toStrictEqual([200, ''])
    expectUnknown(await post(app, legacy('tools/list'), headers))
    expectUnknown(await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers))
    expectUnknown(await post(app, { jsonrpc: '2.0', id: 1, result: {} }, headers))
    expectUnknown(await post(app, [legacy('ping')], headers))
    expectUnknown(await post(app, legacy('no/such/method'), headers))
    expect((await end(app, headers)).statusCode).toBe(404)
  })

  it.each(['nobody', '', '__proto__', 'constructor', 'x'.repeat(8000), '00000000-0000-4000-8000-000000000000'])(
    'is unknown under the id %p',
    async (id) => {
      const app = await openApp()
      await open(app)

      expectUnknown(await post(app, legacy('ping'), { 'mcp-session-id': id }))
    },
  )

  it('is unknown when its id is sent twice', async () => {
    const app = await openApp()
    const id = await open(app)

    expectUnknown(await post(app, legacy('ping'), { 'mcp-session-id': `${id}, ${id}` }))
  })

  it('cannot be ended without its id', async () => {
    const app = await openApp()
    await open(app)

    const reply = await end(app, {})

    expect([reply.statusCode, app.mcp.metrics().sessions.value]).toStrictEqual([400, 1])
  })

  it('is ignored by initialize and by modern requests', async () => {
    const app = await openApp()
    const headers = { 'mcp-session-id': 'ended long ago' }

    const again = await post(app, initialize('2025-11-25'), headers)
    const listed = await postModern(app, modern('tools/list'), headers)

    expect([again.status, listed.status]).toStrictEqual([200, 200])
    expect(again.headers['mcp-session-id']).not.toBe(headers['mcp-session-id'])
  })

  it('is not opened by a rejected initialize', async () => {
    const app = await openApp()
    await post(app, legacy('initialize', {}))
    await post(app, legacy('initialize', { protocolVersion: '2025-11-25', capabilities: [] }))
    await post(app, initialize('2025-11-25'), { 'mcp-protocol-version': modernVersion })
    await post(app, [initialize('2025-03-26')], { 'mcp-protocol-version': '2025-03-26' })
    await post(app, initialize('2025-11-25'), { origin: 'https://evil.example.com' })
    await post(app, { jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: '2025-11-25' } })

    expect(app.mcp.metrics().sessions.value).toBe(0)
  })

  it('of one client is independent of requests of other clients', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const [mine, yours] = [await open(app), await open(app)]
    const call1 = post(app, legacy('tools/call', call('wait')), { 'mcp-session-id': mine })
    const call2 = post(app, legacy('tools/call', call('wait')), { 'mcp-session-id': yours })
    await until(() => seen.started === 2)

    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await post(app, cancelled, { 'mcp-session-id': mine })
    expect(seen.aborted).toBe(1)
    release()

    expect([(await call1).status, (await call1).text]).toStrictEqual([200, ''])
    expect((await call2).json.result.content[0].text).toBe('done')
  })

  it('tracks its requests in flight: a duplicate id is rejected, a later one is not', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const headers = { 'mcp-session-id': await open(app) }
    const first = post(app, legacy('tools/call', call('wait'), 'same'), headers)
    await until(() => seen.started === 1)

    const second = await post(app, legacy('ping', {}, 'same'), headers)
    const other = await post(app, legacy('ping', {}, 'other'), headers)
    release()

    expect([second.status, second.json]).toStrictEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 'same',
        error: { code: -32600, message: 'Invalid Request: a request with this id is in flight' },
      },
    ])
    expect(other.status).toBe(200)
    expect((await first).json.result.content[0].text).toBe('done')
    expect((await post(app, legacy('ping', {}, 'same'), headers)).status).toBe(200)
  })

  it('distinguishes the ids 1 and "1"', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const headers = { 'mcp-session-id': await open(app) }
    const first = post(app, legacy('tools/call', call('wait'), 1), headers)
    await until(() => seen.started === 1)

    expect((await post(app, legacy('ping', {}, '1'), headers)).status).toBe(200)
    release()
    expect((await first).json.id).toBe(1)
  })

  it('cancels calls in flight when it ends', async () => {
    const { tool, seen } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const headers = { 'mcp-session-id': await open(app) }
    const waiting = post(app, legacy('tools/call', call('wait')), headers)
    await until(() => seen.started === 1)

    await end(app, headers)

    const { status, json } = await waiting
    expect([status, json, seen.aborted]).toMatchObject([404, { id: 1, error: { code: -32600 } }, 1])
  })
})

describe('the number of sessions', () => {
  it('is limited: the least recently used session is dropped', async () => {
    const app = await openApp({ limits: { maxSessions: 3 } })
    const [a, b, c] = [await open(app), await open(app), await open(app)]
    await post(app, legacy('ping'), { 'mcp-session-id': a })
    const d = await open(app)

    const statuses = await Promise.all(
      [a, b, c, d].map(async (id) => (await post(app, legacy('ping'), { 'mcp-session-id': id })).status),
    )

    expect(statuses).toStrictEqual([200, 404, 200, 200])
    expect(app.mcp.metrics()).toMatchObject({ sessions: { value: 3 }, displacedSessions: 1, rejectedSessions: 0 })
  })

  it('is never reduced by a session that has a call in flight', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool], limits: { maxSessions: 1 } })
    const headers = { 'mcp-session-id': await open(app) }
    const waiting = post(app, legacy('tools/call', call('wait')), headers)
    await until(() => seen.started === 1)

    const rejected = await post(app, initialize('2025-11-25'))
    release()

    expect([rejected.status, rejected.headers['retry-after']]).toStrictEqual([503, '10'])
    expect(app.mcp.metrics()).toMatchObject({ displacedSessions: 0, rejectedSessions: 1 })
    expect(rejected.json).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32603,
        message: 'Too many sessions are in use. Try again in 10 s',
        data: { retryAfterMs: 10_000 },
      },
    })
    expect((await waiting).json.result.content[0].text).toBe('done')
    expect((await post(app, initialize('2025-11-25'))).status).toBe(200)
  })
})

describe('an idle session', () => {
  it('is dropped after a while', async () => {
    const app = await openApp({ limits: { sessionIdleMs: 20 } })
    const headers = { 'mcp-session-id': await open(app) }
    await delay(40)

    expectUnknown(await post(app, legacy('ping'), headers))
    expect(app.mcp.metrics().sessions.value).toBe(0)
  })

  it('is dropped as soon as another session begins', async () => {
    const app = await openApp({ limits: { sessionIdleMs: 20 } })
    await open(app)
    await open(app)
    await delay(40)
    await open(app)

    expect(app.mcp.metrics().sessions.value).toBe(1)
  })

  it('has no request in flight, regardless of the duration of requests', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool], limits: { sessionIdleMs: 20 } })
    const headers = { 'mcp-session-id': await open(app) }
    const waiting = post(app, legacy('tools/call', call('wait')), headers)
    await until(() => seen.started === 1)
    await delay(40)

    expect((await post(app, legacy('ping', {}, 2), headers)).status).toBe(200)
    release()
    await waiting
  })

  it('becomes idle when its last request ends', async () => {
    // On a busy machine, a request can take longer than the idle time of a test.
    const idleMs = 60_000
    jest.useFakeTimers({ doNotFake: [...timersOfRequests] })
    try {
      const { tool, seen, release } = createWaitingTool()
      const app = await openApp({ tools: [tool], limits: { sessionIdleMs: idleMs } })
      const headers = { 'mcp-session-id': await open(app) }
      const waiting = post(app, legacy('tools/call', call('wait')), headers)
      await until(() => seen.started === 1)
      jest.advanceTimersByTime(idleMs * 1.5)
      release()
      await waiting
      jest.advanceTimersByTime(idleMs / 2)

      expect((await post(app, legacy('ping', {}, 2), headers)).status).toBe(200)
      jest.advanceTimersByTime(idleMs * 1.5)
      expectUnknown(await post(app, legacy('ping', {}, 3), headers))
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('without sessions', () => {
  it('each legacy message is served alone', async () => {
    const app = await openApp({ sessions: false, tools: [whoami] })
    const reply = await post(app, initialize('2025-06-18'))

    expect(reply.status).toBe(200)
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
    expect(app.mcp.metrics().sessions.value).toBe(0)
    const headers = { 'mcp-session-id': 'whatever', 'mcp-protocol-version': '2025-06-18' }
    const called = await post(app, legacy('tools/call', call('whoami')), headers)
    expect(JSON.parse(called.json.result.content[0].text)).toStrictEqual({
      protocolVersion: '2025-06-18',
      client: null,
      clientCapabilities: {},
    })
  })

  it('DELETE is rejected', async () => {
    const app = await openApp({ sessions: false })

    const reply = await end(app, { 'mcp-session-id': 'whatever' })

    expect([reply.statusCode, reply.headers['allow']]).toStrictEqual([405, 'POST'])
  })

  it('concurrent equal ids are accepted', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ sessions: false, tools: [tool] })
    const calls = [1, 2].map(() => post(app, legacy('tools/call', call('wait'))))
    await until(() => seen.started === 2)
    release()

    const replies = await Promise.all(calls)

    expect(replies.map(({ json }) => json.result.content[0].text)).toStrictEqual(['done', 'done'])
  })
})
