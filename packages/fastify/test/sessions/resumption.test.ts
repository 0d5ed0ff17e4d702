// Compares resumed streams with the complete list of events: after any cut, exactly the missing events follow.

import type { Limits } from '@toolwright/core'
import type { StreamKey, StreamPage } from '@toolwright/sessions'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  type Message,
  messagesIn,
  messagesOf,
  openApp,
  openSession,
  type SentEvent,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { seeded } from '../support/random.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import { sessionOf } from '../support/sessions.js'
import { SlowEventStore } from '../support/slow-event-store.js'

const total = 1000

/** Sends `total` updates, in bursts of all sizes, and returns a result. */
const teller: TestTool = {
  name: 'tell',
  inputSchema: { type: 'object' },
  handler: async ({ seed }, context) => {
    const random = seeded(seed)
    for (let progress = 1; progress <= total; progress++) {
      context.progress(progress)
      // oxlint-disable-next-line no-await-in-loop
      if (random() < 0.1) await delay(random() * 3)
    }
    return 'told'
  },
}

function tell(seed: number) {
  return legacyMessage('tools/call', { ...toolCall('tell', { seed }), _meta: { progressToken: 'p' } })
}

/** A server with a tool that returns its text when it is released. */
async function openHeld(limits: Partial<Limits> = {}) {
  const ends = new Map<string, () => void>()
  const hold: TestTool = {
    name: 'hold',
    inputSchema: { type: 'object' },
    handler: async ({ text }, context) => {
      context.progress(1)
      await new Promise<void>((resolve) => ends.set(text, resolve))
      return text as string
    },
  }
  const store = new SlowEventStore(() => 1)
  const app = await openApp({ tools: [hold], eventStore: store, limits })
  const client = await openSession(app)
  const begin = async (text: string) => {
    const params = { ...toolCall('hold', { text }), _meta: { progressToken: 'p' } }
    const stream = await client.stream(legacyMessage('tools/call', params, text.length))
    const [, told] = await stream.take(2)
    return { stream, place: String(told?.id), end: () => ends.get(text)?.() }
  }
  return { client, store, begin }
}

/** Identifies a message: its number, or the result. */
function nameOf({ params, result }: { params?: { progress: number }; result?: unknown }): number | string {
  return params?.progress ?? (result === undefined ? 'unknown' : 'answer')
}

const everything = [...Array.from({ length: total }, (_, index) => index + 1), 'answer']

afterEach(closeApps)

test('500 cut points in a stream of 1,000 events are resumed with exactly the missing events', async () => {
  const app = await openApp({ tools: [teller] })
  const random = seeded(1)

  const session = await openSession(app)
  const { text } = await session.send(tell(1))
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id as string)
  expect(ids).toHaveLength(total + 2)

  for (let round = 0; round < 500; round++) {
    // The priming event is the first, the result the last; after the result, nothing is missing.
    const cut = Math.floor(random() * (total + 1))
    // oxlint-disable-next-line no-await-in-loop
    const resumed = await app.inject({
      url: '/mcp',
      headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': String(ids[cut]) },
    })
    expect(messagesOf(resumed.body).map(nameOf)).toStrictEqual(everything.slice(cut))
  }
})

/** Reads some events, loses the connection and reconnects, until the stream has ended. */
async function followBroken(client: TestClient, seed: number) {
  const random = seeded(seed)
  const events: SentEvent[] = []
  let reader = await client.stream(tell(seed))
  let breaks = 0
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const taken = await reader.take(1 + Math.floor(random() * 80))
    events.push(...taken)
    if (events.at(-1)?.data.includes('"result"') === true) return { events, breaks }
    reader.cut()
    breaks++
    const lastEventId = events.at(-1)?.id
    // A client may reconnect twice at once: the result of the first connection is ignored.
    // oxlint-disable-next-line no-await-in-loop
    if (random() < 0.2) (await client.resume(lastEventId)).cut()
    // oxlint-disable-next-line no-await-in-loop
    reader = await client.resume(lastEventId)
    expect(reader.status).toBe(200)
  }
}

/** @returns The ids of the sessions. */
async function expectWhole(app: FastifyInstance): Promise<string[]> {
  const clients = await Promise.all([1, 2, 3, 4].map(() => openSession(app)))
  const followed = await Promise.all(clients.map((client, index) => followBroken(client, index + 1)))
  for (const { events, breaks } of followed) {
    expect(messagesIn(events).map(nameOf)).toStrictEqual(everything)
    expect(breaks).toBeGreaterThan(10)
    const ids = events.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }
  for (const client of clients) client.close()
  return clients.map(({ sessionId }) => sessionId)
}

// oxlint-disable-next-line jest/expect-expect
test('connections that keep breaking during calls lose no events and duplicate none', async () => {
  await expectWhole(await openApp({ tools: [teller] }))
})

test('connections that keep breaking lose and duplicate no events, with an event store behind a network', async () => {
  const store = new SlowEventStore(seeded(9))
  const app = await openApp({ tools: [teller], eventStore: store })

  const ids = await expectWhole(app)

  expect(store.size).toBeGreaterThan(0)
  await Promise.all(ids.map((id) => app.inject({ method: 'DELETE', url: '/mcp', headers: { 'mcp-session-id': id } })))
  for (let waited = 0; waited < 100 && store.size > 0; waited++) await delay(5)
  expect(store.size).toBe(0)
})

test('a GET stream that keeps breaking delivers each message once, in order', async () => {
  const app = await openApp()
  const client = await openSession(app)
  const random = seeded(3)
  const sending = (async () => {
    const session = sessionOf(app, client.sessionId)
    for (let progress = 1; progress <= total; progress++) {
      const params = { progressToken: 'p', progress }
      session?.channel.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
      // oxlint-disable-next-line no-await-in-loop
      if (random() < 0.1) await delay(1)
    }
  })()

  const events: SentEvent[] = []
  let reader = await client.listen()
  while (messagesIn(events).length < total) {
    // oxlint-disable-next-line no-await-in-loop
    events.push(...(await reader.take(1 + Math.floor(random() * Math.min(60, total - messagesIn(events).length)))))
    reader.cut()
    // oxlint-disable-next-line no-await-in-loop
    reader = await client.resume(events.at(-1)?.id)
  }
  await sending

  expect(messagesIn(events).map(nameOf)).toStrictEqual(everything.slice(0, -1))
  client.close()
})

describe('a failing event store', () => {
  test('closes its stream instead of leaving the client waiting, and other streams continue', async () => {
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ tools: [teller], eventStore: store })
    const client = await openSession(app)
    const stream = await client.stream(tell(1))
    await stream.take(5)

    store.failure = new Error('the store is down')
    const rest = messagesIn(await stream.rest())
    const pinged = await client.request('ping', {}, { id: 2 })
    const opened = await client.listen()

    expect([opened.status, opened.response.headers['retry-after']]).toStrictEqual([503, '1'])
    expect(rest.map(nameOf)).not.toContain('answer')
    expect(pinged.json.result).toStrictEqual({})
    client.close()
  })

  test('causes 503 for a client that wants to resume', async () => {
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ eventStore: store })
    const client = await openSession(app)
    const stream = await client.listen()
    const [primed] = await stream.take(1)
    stream.cut()
    store.failure = new Error('the store is down')

    expect((await client.resume(primed?.id)).status).toBe(503)
    store.failure = null
    expect((await client.resume(primed?.id)).status).toBe(200)
    client.close()
  })

  test('causes 503 after a timeout if it never responds', async () => {
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ eventStore: store, limits: { storeTimeoutMs: 20 } })
    const client = await openSession(app)
    store.read = () => new Promise(() => undefined)

    expect((await client.listen()).status).toBe(503)
    client.close()
  })

  test('saves the result of a call as soon as it can, for a client that reconnects', async () => {
    const { client, store, begin } = await openHeld()
    const { stream, place, end } = await begin('short')

    store.failure = new Error('the store is down')
    end()
    expect(messagesIn(await stream.rest())).toStrictEqual([])
    expect((await client.resume(place)).status).toBe(503)
    store.failure = null

    expect((await (await client.resume(place)).message()).result.content[0].text).toBe('short')
    client.close()
  })

  test.each([
    { what: 'bytes of results', texts: ['x'.repeat(5000), 'short'], waits: 1, isLost: 0 },
    { what: 'results, however short they are,', texts: ['a', 'bc'], waits: 0, isLost: 1 },
  ])('limits the $what that wait for the store', async ({ texts, waits, isLost }) => {
    const { client, store, begin } = await openHeld({ maxTotalStoredBytes: 5000 })
    const calls = await Promise.all(texts.map(begin))

    store.failure = new Error('the store is down')
    for (const { stream, end } of calls) {
      end()
      // oxlint-disable-next-line no-await-in-loop
      await stream.rest()
    }
    store.failure = null

    const kept = await client.resume(calls[waits]?.place)
    expect((await kept.message()).result.content[0].text).toBe(texts[waits])
    const [streamId = ''] = String(calls[isLost]?.place).split('-')
    const page = await store.read({ sessionId: client.sessionId, streamId }, 0, 10)
    expect(page?.events).toHaveLength(2)
    client.close()
  })

  test('is not called again for the end of a stream that could not begin', async () => {
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ tools: [teller], eventStore: store })
    const client = await openSession(app)
    const append = jest.spyOn(store, 'append')

    store.failure = new Error('the store is down')
    expect((await client.stream(tell(1))).status).toBe(503)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const lasts = append.mock.calls.filter(([, , isLast]) => isLast)

    expect(lasts.length).toBeLessThanOrEqual(1)
    client.close()
  })

  test('is logged once for any number of streams, and once more when it has recovered', async () => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ eventStore: store, fastify: { logger: { level: 'info', stream } } })
    const clients = await Promise.all([1, 2, 3].map(() => openSession(app)))
    const getAll = () => Promise.all(clients.map(async (client) => (await client.listen()).status))

    store.failure = new Error('the store is down')
    expect(await getAll()).toStrictEqual([503, 503, 503])
    store.failure = null
    expect(await getAll()).toStrictEqual([200, 200, 200])

    expect(lines.filter((line) => line.includes('event store'))).toStrictEqual([
      'the event store fails: clients are asked to retry',
      'the event store has recovered',
    ])
    for (const client of clients) client.close()
  })

  test('is not logged as recovered while it cannot append, even if its streams can be watched', async () => {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }
    const store = new SlowEventStore(() => 1)
    const app = await openApp({ tools: [teller], eventStore: store, fastify: { logger: { level: 'info', stream } } })
    const client = await openSession(app)

    store.failure = new Error('the store is down')
    for (const seed of [1, 2, 3]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await client.stream(tell(seed))).status).toBe(503)
    }

    expect(lines.filter((line) => line.includes('event store'))).toStrictEqual([
      'the event store fails: clients are asked to retry',
    ])
    client.close()
  })

  test.each([[null], [{}], [{ events: [null], isWhole: true, isEnd: false }]])(
    'is also logged if it returns %j, which is not a page',
    async (page) => {
      const lines: string[] = []
      const stream = { write: (line: string) => void lines.push(line) }
      const store = new SlowEventStore(() => 1)
      store.read = async () => page as never
      const app = await openApp({ eventStore: store, fastify: { logger: { level: 'info', stream } } })
      const client = await openSession(app)

      expect((await client.listen()).status).toBe(503)

      expect(lines.filter((line) => line.includes('read() did not return a page'))).toHaveLength(1)
      client.close()
    },
  )

  test.each([
    ['read', () => new UnreadableEventStore(() => 0)],
    ['watched', () => new UnwatchableEventStore(() => 0)],
  ])('cancels the call whose stream cannot be %s, since the client will retry', async (_what, openStore) => {
    const eventStore = openStore()
    let reason = ''
    const untilCancelled: TestTool = {
      name: 'until-cancelled',
      handler: (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = String(signal.reason)
            resolve('')
          })
        }),
    }
    const app = await openApp({ tools: [untilCancelled], eventStore, streamAnswers: true })
    const client = await openSession(app)
    if (eventStore instanceof UnreadableEventStore) eventStore.readsLeft = 0

    const { response } = await client.stream(legacyMessage('tools/call', toolCall('until-cancelled')))

    expect([response.statusCode, response.headers['retry-after']]).toStrictEqual([503, '1'])
    await until(() => app.mcp.metrics().inFlight.value === 0)
    expect(reason).toBe('AbortError: the client was asked to retry')
    client.close()
  })

  test.each(['a call', 'the stream of the session'])('causes 503 if the stream of %s cannot begin', async (what) => {
    const store = new UnreadableEventStore(() => 0)
    const app = await openApp({ tools: [teller], eventStore: store })
    const client = await openSession(app)
    store.readsLeft = what === 'a call' ? 0 : 1

    const { response } = what === 'a call' ? await client.stream(tell(1)) : await client.listen()

    expect([response.statusCode, response.headers['retry-after']]).toStrictEqual([503, '1'])
    const [body] = (await response.toArray()) as [string]
    const message = 'Streams are temporarily unavailable. Try again in 1 s'
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32603, message, data: { retryAfterMs: 1000 } } })
    client.close()
  })

  test.each([
    ['a call', '2025-11-25'],
    ['a call', '2025-06-18'],
    ['the stream of the session', '2025-11-25'],
  ])('causes 503 if it can be read but cannot append for %s in %s', async (what, version) => {
    const store = new FullEventStore(() => 0)
    const app = await openApp({ tools: [teller], eventStore: store })
    const client = await openSession(app, { version })

    const { response } = what === 'a call' ? await client.stream(tell(1)) : await client.listen()

    expect([response.statusCode, response.headers['retry-after']]).toStrictEqual([503, '1'])
    await until(() => app.mcp.metrics().inFlight.value === 0)
    client.close()
  })

  test.each([
    ['at-once', 'its answer', { streamAnswers: false }],
    ['later', 'its answer', { streamAnswers: false }],
    ['later', 'its request', { streamAnswers: true }],
    ['later', 'its session, once found', { streamAnswers: true, sessionStore: new RemoteSessionStore() }],
  ])('causes 503 if it cannot watch the stream of the call %s that begins with %s', async (name, _, options) => {
    const eventStore = new UnwatchableEventStore(() => 0)
    const lines: string[] = []
    const fastify = { logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } }
    const app = await openApp({ tools: [atOnce, later], eventStore, fastify, ...options })
    const client = connectTo(app, { era: 'legacy' })
    const opened = await client.initialize('2025-11-25')
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']), accept: 'text/event-stream' }

    const answer = await client.call(name, {}, { headers })

    expect([answer.status, answer.headers['retry-after']]).toStrictEqual([503, '1'])
    expect(answer.json.error.message).toBe('Streams are temporarily unavailable. Try again in 1 s')
    await until(() => app.mcp.metrics().inFlight.value === 0)
    await app.close()
    // The error of the outage: the result is not sent a second time.
    expect(lines).toEqual([expect.stringContaining('the store is down')])
  })

  test('causes one response if the call continues while a hook of the application delays the rejection', async () => {
    const [rejection, end] = [createGate(), createGate()]
    const talks: TestTool = {
      name: 'talks',
      handler: async (_args, context) => {
        await rejection.opened
        setImmediate(end.open)
        context.progress(1)
        return 'done'
      },
    }
    const lines: string[] = []
    const fastify = { logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } }
    const eventStore = new UnwatchableEventStore(() => 0)
    const app = await openApp({ tools: [talks], eventStore, fastify, streamAnswers: true })
    app.addHook('onSend', async ({ body }) => {
      if ((body as Message).method !== 'tools/call') return
      rejection.open()
      await end.opened
    })

    const session = await openSession(app)

    const answer = await session.call('talks', {}, { meta: { progressToken: 't' } })
    await app.close()

    expect([answer.status, answer.json.error.code]).toStrictEqual([503, -32603])
    expect(lines).toEqual([expect.stringContaining('the store is down')])
  })

  test('stops the call on time while a hook of the application delays the rejection', async () => {
    const stopped = createGate()
    let reason = ''
    const endless: TestTool = {
      name: 'endless',
      timeoutMs: 20,
      handler: (_args, { signal }) => {
        signal.addEventListener('abort', () => {
          reason = String(signal.reason)
          stopped.open()
        })
        return new Promise(() => undefined)
      },
    }
    const eventStore = new UnwatchableEventStore(() => 0)
    const app = await openApp({ tools: [endless], eventStore, streamAnswers: true })
    app.addHook('onSend', async ({ body }) => {
      if ((body as Message).method === 'tools/call') await Promise.race([stopped.opened, delay(1000)])
    })

    const session = await openSession(app)

    const answer = await session.call('endless')

    expect(answer.status).toBe(503)
    expect(reason).toBe('TimeoutError: The call took longer than 20 ms')
  })
})

const atOnce: TestTool = { name: 'at-once', inputSchema: { type: 'object' }, handler: () => 'done' }

const later: TestTool = { name: 'later', inputSchema: { type: 'object' }, handler: () => delay(5) }

/** Saves everything, but does not notify of new events. */
class UnwatchableEventStore extends SlowEventStore {
  override watch(): () => void {
    throw new Error('the store is down')
  }
}

/** Saves everything, but soon cannot be read. */
class UnreadableEventStore extends SlowEventStore {
  readsLeft = Infinity

  override read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    return this.readsLeft-- > 0 ? super.read(key, after, max) : Promise.reject(new Error('the store is down'))
  }
}

/** Can be read, but has no space left. */
class FullEventStore extends SlowEventStore {
  override append(): Promise<void> {
    return Promise.reject(new Error('there is no room'))
  }
}
