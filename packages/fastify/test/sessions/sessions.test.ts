import {
  closeApps,
  connectTo,
  initializeMessage,
  joinSession,
  legacyMessage,
  legacyVersions,
  modernVersion,
  openApp,
  openSession,
  type Reply,
  type TestTool,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { until } from '../../../../test/support/until.js'
import { createWaitingTool } from '../support/waiting-tool.js'

/** Returns the revision and the client info of the session. */
const whoami: TestTool = {
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

/** The response to every use of an unknown session. */
function expectUnknown({ status, json }: Reply): void {
  expect([status, json.error.code]).toStrictEqual([404, -32600])
}

afterEach(closeApps)

describe('a session', () => {
  it('begins with initialize, under a new id of visible ASCII', async () => {
    const app = await openApp()

    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(app)))
    const ids = sessions.map(({ sessionId }) => sessionId)

    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(app.mcp.metrics().sessions.value).toBe(20)
  })

  it.each(legacyVersions)('stores the agreed revision %s and the client info', async (version) => {
    const app = await openApp({ tools: [whoami] })
    const session = await openSession(app, { version, params: { capabilities: { sampling: {} } } })

    const reply = await session.call('whoami')

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
    const session = await openSession(app, { params: { clientInfo: undefined } })

    const reply = await session.call('whoami')

    expect(JSON.parse(reply.json.result.content[0].text).client).toBeNull()
  })

  it('keeps the agreed revision when the header names another legacy version', async () => {
    const app = await openApp({ tools: [whoami] })
    const session = await openSession(app, { version: '2025-06-18' })

    const reply = await session.call('whoami', {}, { headers: { 'mcp-protocol-version': '2024-11-05' } })

    expect(JSON.parse(reply.json.result.content[0].text).protocolVersion).toBe('2025-06-18')
  })

  it('rejects an unsupported version header', async () => {
    const app = await openApp()
    const { sessionId } = await openSession(app)
    const session = joinSession(app, sessionId, { 'mcp-protocol-version': '1900-01-01' })

    const replies = [await session.request('tools/list'), await session.notify('notifications/initialized')]
    const deleted = await session.end()

    expect(replies.map(({ status }) => status)).toStrictEqual([400, 400])
    expect([deleted.status, app.mcp.metrics().sessions.value]).toStrictEqual([400, 1])
  })

  it('is served without notifications/initialized, and accepts it', async () => {
    const app = await openApp()
    const session = await openSession(app)

    expect((await session.request('tools/list')).status).toBe(200)
    const reply = await session.notify('notifications/initialized')
    expect([reply.status, reply.text]).toStrictEqual([202, ''])
  })

  it('ends with DELETE, and requests in it then get 404', async () => {
    const app = await openApp()
    const session = await openSession(app)
    const deleted = await session.end()

    expect([deleted.status, deleted.text]).toStrictEqual([200, ''])
    expectUnknown(await session.request('tools/list'))
    expectUnknown(await session.notify('notifications/initialized'))
    expectUnknown(await session.send({ jsonrpc: '2.0', id: 1, result: {} }))
    expectUnknown(await session.send([legacyMessage('ping')]))
    expectUnknown(await session.request('no/such/method'))
    expect((await session.end()).status).toBe(404)
  })

  it.each(['nobody', '', '__proto__', 'constructor', 'x'.repeat(8000), '00000000-0000-4000-8000-000000000000'])(
    'is unknown under the id %p',
    async (id) => {
      const app = await openApp()
      await openSession(app)

      expectUnknown(await joinSession(app, id).request('ping'))
    },
  )

  it('is unknown when its id is sent twice', async () => {
    const app = await openApp()
    const { sessionId: id } = await openSession(app)

    expectUnknown(await joinSession(app, `${id}, ${id}`).request('ping'))
  })

  it('cannot be ended without its id', async () => {
    const app = await openApp()
    await openSession(app)

    const reply = await connectTo(app, { era: 'legacy' }).end()

    expect([reply.status, app.mcp.metrics().sessions.value]).toStrictEqual([400, 1])
  })

  it('is ignored by initialize and by modern requests', async () => {
    const app = await openApp()
    const headers = { 'mcp-session-id': 'ended long ago' }

    const again = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25', {}, headers)
    const listed = await connectTo(app).request('tools/list', {}, { headers })

    expect([again.status, listed.status]).toStrictEqual([200, 200])
    expect(again.headers['mcp-session-id']).not.toBe(headers['mcp-session-id'])
  })

  it('is not opened by a rejected initialize', async () => {
    const app = await openApp()
    const client = connectTo(app, { era: 'legacy' })
    await client.request('initialize', {})
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: [] })
    await client.initialize('2025-11-25', {}, { 'mcp-protocol-version': modernVersion })
    await client.send([initializeMessage('2025-03-26')], { 'mcp-protocol-version': '2025-03-26' })
    await client.initialize('2025-11-25', {}, { origin: 'https://evil.example.com' })
    await client.notify('initialize', { protocolVersion: '2025-11-25' })

    expect(app.mcp.metrics().sessions.value).toBe(0)
  })

  it('of one client is independent of requests of other clients', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const [mine, yours] = [await openSession(app), await openSession(app)]
    const call1 = mine.call('wait')
    const call2 = yours.call('wait')
    await until(() => seen.started === 2)

    await mine.notify('notifications/cancelled', { requestId: 1 })
    expect(seen.aborted).toBe(1)
    release()

    expect([(await call1).status, (await call1).text]).toStrictEqual([200, ''])
    expect((await call2).json.result.content[0].text).toBe('done')
  })

  it('tracks its requests in flight: a duplicate id is rejected, a later one is not', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const session = await openSession(app)
    const first = session.call('wait', {}, { id: 'same' })
    await until(() => seen.started === 1)

    const second = await session.request('ping', {}, { id: 'same' })
    const other = await session.request('ping', {}, { id: 'other' })
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
    expect((await session.request('ping', {}, { id: 'same' })).status).toBe(200)
  })

  it('distinguishes the ids 1 and "1"', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const session = await openSession(app)
    const first = session.call('wait')
    await until(() => seen.started === 1)

    expect((await session.request('ping', {}, { id: '1' })).status).toBe(200)
    release()
    expect((await first).json.id).toBe(1)
  })

  it('cancels calls in flight when it ends', async () => {
    const { tool, seen } = createWaitingTool()
    const app = await openApp({ tools: [tool] })
    const session = await openSession(app)
    const waiting = session.call('wait')
    await until(() => seen.started === 1)

    await session.end()

    const { status, json } = await waiting
    expect([status, json, seen.aborted]).toMatchObject([404, { id: 1, error: { code: -32600 } }, 1])
  })
})

describe('the number of sessions', () => {
  it('is limited: the least recently used session is dropped', async () => {
    const app = await openApp({ limits: { maxSessions: 3 } })
    const [a, b, c] = [await openSession(app), await openSession(app), await openSession(app)]
    await a.request('ping')
    const d = await openSession(app)

    const statuses = await Promise.all([a, b, c, d].map(async (client) => (await client.request('ping')).status))

    expect(statuses).toStrictEqual([200, 404, 200, 200])
    expect(app.mcp.metrics()).toMatchObject({ sessions: { value: 3 }, displacedSessions: 1, rejectedSessions: 0 })
  })

  it('is never reduced by a session that has a call in flight', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool], limits: { maxSessions: 1 } })
    const session = await openSession(app)
    const waiting = session.call('wait')
    await until(() => seen.started === 1)

    const newcomer = connectTo(app, { era: 'legacy' })
    const rejected = await newcomer.initialize('2025-11-25')
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
    expect((await newcomer.initialize('2025-11-25')).status).toBe(200)
  })
})

describe('an idle session', () => {
  it('is dropped after a while', async () => {
    const app = await openApp({ limits: { sessionIdleMs: 20 } })
    const session = await openSession(app)
    await delay(40)

    expectUnknown(await session.request('ping'))
    expect(app.mcp.metrics().sessions.value).toBe(0)
  })

  it('is dropped as soon as another session begins', async () => {
    const app = await openApp({ limits: { sessionIdleMs: 20 } })
    await openSession(app)
    await openSession(app)
    await delay(40)
    await openSession(app)

    expect(app.mcp.metrics().sessions.value).toBe(1)
  })

  it('has no request in flight, regardless of the duration of requests', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await openApp({ tools: [tool], limits: { sessionIdleMs: 20 } })
    const session = await openSession(app)
    const waiting = session.call('wait')
    await until(() => seen.started === 1)
    await delay(40)

    expect((await session.request('ping', {}, { id: 2 })).status).toBe(200)
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
      const session = await openSession(app)
      const waiting = session.call('wait')
      await until(() => seen.started === 1)
      jest.advanceTimersByTime(idleMs * 1.5)
      release()
      await waiting
      jest.advanceTimersByTime(idleMs / 2)

      expect((await session.request('ping', {}, { id: 2 })).status).toBe(200)
      jest.advanceTimersByTime(idleMs * 1.5)
      expectUnknown(await session.request('ping', {}, { id: 3 }))
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('without sessions', () => {
  it('each legacy message is served alone', async () => {
    const app = await openApp({ sessions: false, tools: [whoami] })
    const legacy = connectTo(app, { era: 'legacy' })
    const reply = await legacy.initialize('2025-06-18')

    expect(reply.status).toBe(200)
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
    expect(app.mcp.metrics().sessions.value).toBe(0)
    const headers = { 'mcp-session-id': 'whatever', 'mcp-protocol-version': '2025-06-18' }
    const called = await legacy.call('whoami', {}, { headers })
    expect(JSON.parse(called.json.result.content[0].text)).toStrictEqual({
      protocolVersion: '2025-06-18',
      client: null,
      clientCapabilities: {},
    })
  })

  it('DELETE is rejected', async () => {
    const app = await openApp({ sessions: false })

    const reply = await joinSession(app, 'whatever').end()

    expect([reply.status, reply.headers['allow']]).toStrictEqual([405, 'POST'])
  })

  it('concurrent equal ids are accepted', async () => {
    const { tool, seen, release } = createWaitingTool()
    const client = connectTo(await openApp({ sessions: false, tools: [tool] }), { era: 'legacy' })
    const calls = [1, 2].map(() => client.call('wait'))
    await until(() => seen.started === 2)
    release()

    const replies = await Promise.all(calls)

    expect(replies.map(({ json }) => json.result.content[0].text)).toStrictEqual(['done', 'done'])
  })
})
