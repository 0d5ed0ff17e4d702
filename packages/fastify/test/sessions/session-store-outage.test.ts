import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  openApp,
  openSession,
  type TestClient,
  type TestTool,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { type Failure, RemoteSessionStore } from '../support/remote-session-store.js'
import { sessionsOf } from '../support/sessions.js'

const failures: readonly Failure[] = ['throws', 'rejects', 'hangs', 'torn', 'wrong type']

const echo: TestTool = { name: 'echo', handler: () => 'on' }

const storeTimeoutMs = 100

interface Node {
  readonly app: FastifyInstance
  readonly store: RemoteSessionStore
  readonly session: TestClient
}

async function openNode(): Promise<Node> {
  const store = new RemoteSessionStore()
  const app = await openApp({ tools: [echo], sessionStore: store, limits: { storeTimeoutMs } })
  const session = await openSession(app)
  expect((await session.request('ping')).status).toBe(200)
  return { app, store, session }
}

const unavailable = {
  code: -32603,
  message: 'Sessions are temporarily unavailable. Try again in 1 s',
  data: { retryAfterMs: 1000 },
}

afterEach(async () => {
  await closeApps()
  jest.useRealTimers()
  jest.restoreAllMocks()
})

/** Time passes for the server only when the test advances it. */
function useTimersOfTheTest(): void {
  const others = [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
  ] as const
  jest.useFakeTimers({ doNotFake: [...others, 'setInterval', 'clearInterval'] })
}

it.each([Infinity, 2 ** 31])('a slow session store has the timeout of the option: %p', async (timeoutMs) => {
  class SlowStore extends RemoteSessionStore {
    override async get(sessionId: string) {
      await delay(20)
      return super.get(sessionId)
    }
  }
  const app = await openApp({ sessionStore: new SlowStore(), limits: { storeTimeoutMs: timeoutMs } })
  const session = await openSession(app)
  expect(await session.request('ping')).toMatchObject({ status: 200 })
})

it('a slow session store gets one touch of a session at a time', async () => {
  const gate = createGate()
  let touches = 0
  class SlowStore extends RemoteSessionStore {
    override async touch(sessionId: string, idleMs: number): Promise<void> {
      touches++
      await gate.opened
      return super.touch(sessionId, idleMs)
    }
  }
  const app = await openApp({ sessionStore: new SlowStore(), limits: { storeTimeoutMs: Infinity } })
  const session = await openSession(app)
  let now = performance.now()
  jest.spyOn(performance, 'now').mockImplementation(() => now)
  const pingLater = async (): Promise<void> => {
    // Longer than the node remembers the use of a session after its last touch.
    now += 61_000
    expect(await session.request('ping')).toMatchObject({ status: 200 })
  }

  for (let pings = 0; pings < 5; pings++) {
    // oxlint-disable-next-line no-await-in-loop
    await pingLater()
  }
  expect(touches).toBe(1)

  gate.open()
  await until(async () => {
    await pingLater()
    return touches > 1
  })
})

it('a session store gets a touch of the session also after the clock of this machine was set back', async () => {
  let touches = 0
  class CountingStore extends RemoteSessionStore {
    override touch(sessionId: string, idleMs: number): Promise<void> {
      touches++
      return super.touch(sessionId, idleMs)
    }
  }
  const app = await openApp({ sessionStore: new CountingStore() })
  const session = await openSession(app)
  await session.request('ping')
  expect(touches).toBe(1)

  const [wall, monotonic] = [Date.now() - 3_600_000, performance.now() + 2000]
  jest.spyOn(Date, 'now').mockImplementation(() => wall)
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic)
  await session.request('ping')

  expect(touches).toBe(2)
})

describe.each(failures)('while the session store %s', (failure) => {
  it('requests in a session get 503 on time, and no session is dropped', async () => {
    useTimersOfTheTest()
    const { app, store, session } = await openNode()
    store.failure = failure
    const asked = store.calls
    let answered = 0
    const answers = [
      session.request('ping'),
      session.notify('notifications/initialized'),
      session.send({ jsonrpc: '2.0', id: 1, result: {} }),
      session.send([legacyMessage('ping')]),
      app.inject({ url: '/mcp', headers: { ...session.headers, accept: 'text/event-stream' } }),
      app.inject({ method: 'DELETE', url: '/mcp', headers: session.headers }),
    ].map(async (answering) => {
      const answer = await answering
      answered++
      return answer
    })
    let tooEarly = 0
    if (failure === 'hangs') {
      await until(() => store.calls === asked + answers.length && jest.getTimerCount() >= answers.length)
      jest.advanceTimersByTime(storeTimeoutMs - 1)
      await sleep(5)
      tooEarly = answered
      jest.advanceTimersByTime(1)
    }

    expect(tooEarly).toBe(0)
    // All requests together take no longer than one timeout of the store.
    for (const answer of await Promise.all(answers)) {
      const [status, error] =
        'statusCode' in answer ? [answer.statusCode, answer.json().error] : [answer.status, answer.json.error]
      expect([status, answer.headers['retry-after'], error]).toStrictEqual([503, '1', unavailable])
    }
  })

  it('modern calls, and calls without a session, are served', async () => {
    const { app, store } = await openNode()
    store.failure = failure
    const { calls } = store

    const modernReply = await connectTo(app).call('echo')
    const statelessReply = await connectTo(app, { era: 'legacy' }).call('echo')

    expect(modernReply.json.result.content).toStrictEqual([{ type: 'text', text: 'on' }])
    expect(statelessReply.json.result.content).toStrictEqual([{ type: 'text', text: 'on' }])
    expect(store.calls).toBe(calls)
  })

  it('sessions continue as soon as the store has recovered', async () => {
    const { app, store, session } = await openNode()
    const client = connectTo(app, { era: 'legacy' })
    store.failure = failure
    await session.request('ping')
    store.failure = null

    const [again, opened] = await Promise.all([session.request('ping'), client.initialize('2025-11-25')])

    expect([again.status, opened.status]).toStrictEqual([200, 200])
  })
})

it.each(failures.filter((failure) => failure !== 'throws'))(
  'initialize gets 503 while the session store %s',
  async (failure) => {
    const { app, store } = await openNode()
    store.failure = failure

    const reply = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25')

    expect([reply.status, reply.headers['retry-after'], reply.headers['mcp-session-id']]).toStrictEqual([
      503,
      '1',
      undefined,
    ])
  },
)

it('a call in flight succeeds if the store fails meanwhile', async () => {
  const gate = createGate()
  const wait: TestTool = { name: 'wait', handler: () => gate.opened.then(() => 'done') }
  const store = new RemoteSessionStore()
  const app = await openApp({ tools: [wait], sessionStore: store })
  const session = await openSession(app)
  const calling = session.call('wait')
  await until(() => sessionsOf(app).held.isInUse(session.sessionId))

  store.failure = 'rejects'
  gate.open()

  expect((await calling).json.result.content).toStrictEqual([{ type: 'text', text: 'done' }])
})

it('a session that ends during a change by its client is reported as unknown', async () => {
  const { app, store, session } = await openNode()
  const get = store.get.bind(store)
  // The session exists when the request arrives, but not any more when it is changed.
  store.get = async (sessionId) => {
    const record = await get(sessionId)
    store.kept.delete(sessionId)
    return record
  }

  const reply = await session.request('logging/setLevel', { level: 'debug' })

  expect(reply.json.error).toStrictEqual({ code: -32600, message: 'Session not found: call initialize again' })
  expect([reply.status, sessionsOf(app).held.size]).toStrictEqual([404, 0])
})

it('an outage is logged in one line, and so is its end', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }
  const store = new RemoteSessionStore()
  const app = await openApp({ sessionStore: store, fastify: { logger: { level: 'info', stream } } })
  const session = await openSession(app)

  store.failure = 'rejects'
  for (let request = 0; request < 20; request++) await session.request('ping')
  store.failure = null
  await session.request('ping')

  expect(lines.filter((line) => line.includes('session store'))).toStrictEqual([
    'the session store fails: clients are asked to retry',
    'the session store has recovered',
  ])
})
