import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  closeApps,
  connectTo,
  type EventReader,
  headersOf,
  joinSession,
  legacyMessage,
  legacyVersions,
  messagesIn,
  messagesOf,
  modernMessage,
  openApp,
  openSession,
  type SentEvent,
  type TestClient,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { until } from '../../../../test/support/until.js'
import { sessionOf, sessionsOf } from '../support/sessions.js'

/** Reports progress at each step of the test, and then returns. */
function stepper(): { tool: TestTool; step: () => void; finish: () => void; aborted: () => boolean } {
  let aborted = false
  const waiting: ((goesOn: boolean) => void)[] = []
  const signals: boolean[] = []
  const tell = (goesOn: boolean): void => {
    const next = waiting.shift()
    if (next === undefined) signals.push(goesOn)
    else next(goesOn)
  }
  const told = (): Promise<boolean> =>
    new Promise((resolve) => {
      const known = signals.shift()
      if (known === undefined) waiting.push(resolve)
      else resolve(known)
    })
  return {
    tool: {
      name: 'step',
      handler: async (_args, context) => {
        context.signal.addEventListener('abort', () => {
          aborted = true
        })
        // oxlint-disable-next-line no-await-in-loop
        for (let steps = 1; await told(); steps++) context.progress(steps)
        return 'finished'
      },
    },
    step: () => tell(true),
    finish: () => tell(false),
    aborted: () => aborted,
  }
}

/** Reports progress 1 to `count`, and then returns. */
const counter: TestTool = {
  name: 'count',
  inputSchema: { type: 'object' },
  handler: async function* ({ count }): AsyncGenerator<object, string> {
    for (let steps = 1; steps <= count; steps++) yield { progress: steps }
    return 'counted'
  },
}

/** Reports progress without yielding to the event loop. */
const burst: TestTool = {
  name: 'burst',
  inputSchema: { type: 'object' },
  handler: ({ count, text }, context) => {
    for (let steps = 1; steps <= count; steps++) context.progress(steps, count, text)
    return 'burst'
  },
}

const closer: TestTool = {
  name: 'close',
  handler: async (_args, context) => {
    context.closeStream()
    await delay(30)
    context.progress(1)
    return 'the rest'
  },
}

function start(name: string, args: object = {}, id: number | string = 1) {
  return legacyMessage('tools/call', { ...toolCall(name, args), _meta: { progressToken: 'p' } }, id)
}

function progress(value: number): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: value } }
}

function answer(text: string, id: number | string = 1): object {
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } }
}

function note(data: unknown): object {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } }
}

const clients: TestClient[] = []

/** A listening application, and a client with a session. */
async function openPair(options: AppOptions = {}, version?: string) {
  const app = await openApp(options)
  const client = await openSession(app, { version })
  clients.push(client)
  const another = async (): Promise<TestClient> => {
    const next = await openSession(app, { version })
    clients.push(next)
    return next
  }
  return { app, client, another }
}

/** Sends a message that belongs to no request. */
function send(app: FastifyInstance, { sessionId }: TestClient, message: object): void {
  sessionOf(app, sessionId)?.channel.send(JSON.stringify(message))
}

function lastId(events: readonly SentEvent[]): string | undefined {
  return events.findLast(({ id }) => id !== undefined)?.id
}

async function expectRejected(reader: EventReader, status: number): Promise<void> {
  const chunks: string[] = []
  for await (const chunk of reader.response) chunks.push(String(chunk))
  const error = JSON.parse(chunks.join('')) as { error: { code: number } }
  expect([reader.status, error.error.code]).toStrictEqual([status, -32600])
}

/** Heap size after a garbage collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await closeApps()
})

describe('GET', () => {
  it('opens the stream of a session', async () => {
    const { app, client } = await openPair()

    const stream = await client.listen()
    send(app, client, note('hello'))

    expect(stream.status).toBe(200)
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(await stream.message()).toStrictEqual(note('hello'))
  })

  it.each([
    ...legacyVersions.filter((version) => version !== '2025-11-25').map((version) => [version, false] as const),
    ['2025-11-25', true] as const,
  ])('begins with a priming event from 2025-11-25 on, but not in %s', async (version, primes) => {
    const { app, client } = await openPair({ retryMs: 250 }, version)

    const stream = await client.listen()
    send(app, client, note(1))
    const events = await stream.take(primes ? 2 : 1)

    const priming = { id: '0-1', retry: '250', data: '' }
    const message = { id: primes ? '0-2' : '0-1', retry: undefined, data: JSON.stringify(note(1)) }
    expect(events).toStrictEqual(primes ? [priming, message] : [message])
  })

  it('is rejected without a session, and where sessions are disabled', async () => {
    const [withSessions, without] = [await openApp(), await openApp({ sessions: false })]
    const headers = { accept: 'text/event-stream' }

    const replies = await Promise.all([
      withSessions.inject({ url: '/mcp', headers }),
      without.inject({ url: '/mcp', headers: { ...headers, 'mcp-session-id': 'any' } }),
    ])

    expect(replies.map(({ statusCode, headers: { allow } }) => [statusCode, allow])).toStrictEqual([
      [405, 'POST, DELETE'],
      [405, 'POST'],
    ])
  })

  it('is rejected without the right Accept header, in an unknown session or version; HEAD is always rejected', async () => {
    const { app, client } = await openPair()
    const headers = { 'mcp-session-id': client.sessionId, accept: 'text/event-stream' }

    const replies = await Promise.all([
      app.inject({ url: '/mcp', headers: { ...headers, accept: 'application/json' } }),
      app.inject({ url: '/mcp', headers: { ...headers, 'mcp-session-id': 'nobody' } }),
      app.inject({ url: '/mcp', headers: { ...headers, 'mcp-protocol-version': '1900-01-01' } }),
      app.inject({ method: 'HEAD', url: '/mcp', headers }),
    ])

    expect(replies.map(({ statusCode }) => statusCode)).toStrictEqual([406, 404, 400, 405])
  })

  it('delivers messages that were sent without an open stream, once', async () => {
    const { app, client } = await openPair()
    send(app, client, note(1))
    send(app, client, note(2))

    const first = await client.listen()
    expect([await first.message(), await first.message()]).toStrictEqual([note(1), note(2)])
    first.cut()
    await until(() => sessionOf(app, client.sessionId)?.isInUse === false)
    send(app, client, note(3))
    const second = await client.listen()
    send(app, client, note(4))

    expect([await second.message(), await second.message()]).toStrictEqual([note(3), note(4)])
  })

  it('replaces the previous stream of the session, whose connection may be broken unnoticed', async () => {
    const { app, client } = await openPair()
    const first = await client.listen()
    const [primed] = await first.take(1)

    const second = await client.listen()
    send(app, client, note('once'))

    expect(primed?.data).toBe('')
    expect(messagesIn(await first.rest())).toStrictEqual([])
    expect(await second.message()).toStrictEqual(note('once'))
  })

  it('begins with another priming event when it replaces a stream', async () => {
    const { client } = await openPair()
    const first = await client.listen()
    await first.take(1)

    const second = await client.listen()
    const [priming] = await second.take(1)

    expect(priming).toStrictEqual({ id: '0-2', retry: '1000', data: '' })
    expect(await first.rest()).toStrictEqual([])
  })

  it('resumes after the last received event', async () => {
    const { app, client } = await openPair()
    const first = await client.listen()
    for (const data of [1, 2, 3, 4]) send(app, client, note(data))
    const events = await first.take(3)
    first.cut()
    send(app, client, note(5))

    const second = await client.resume(lastId(events))
    send(app, client, note(6))

    expect(messagesIn(events)).toStrictEqual([note(1), note(2)])
    expect([
      await second.message(),
      await second.message(),
      await second.message(),
      await second.message(),
    ]).toStrictEqual([3, 4, 5, 6].map(note))
  })

  it('sends a new event id to a resuming client that has missed nothing', async () => {
    const { client } = await openPair()
    const first = await client.listen()
    const events = await first.take(1)
    first.cut()

    const second = await client.resume(lastId(events))
    const [primed] = await second.take(1)

    expect(primed?.data).toBe('')
    expect(primed?.id).not.toBe(lastId(events))
  })

  it('ends with its session', async () => {
    const { app, client } = await openPair()
    const stream = await client.listen()

    await app.inject({ method: 'DELETE', url: '/mcp', headers: { 'mcp-session-id': client.sessionId } })

    expect(messagesIn(await stream.rest())).toStrictEqual([])
    await expectRejected(await client.listen(), 404)
  })

  it.each(['opened', 'resumed'])('ends at once when the application closes: %s', async (how) => {
    const { app, client } = await openPair()
    let stream = await client.listen()
    const [primed] = await stream.take(1)
    if (how === 'gone on with') {
      stream = await client.resume(primed?.id)
      await stream.take(1)
    }

    const closed = app.close()

    expect(await stream.rest()).toStrictEqual([])
    expect(stream.response.complete).toBe(true)
    await closed
  })

  it('keeps its session from expiring while it is open', async () => {
    let now = performance.now()
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
    const { app, client } = await openPair({ limits: { sessionIdleMs: 60_000 } })
    const legacy = connectTo(app, { era: 'legacy' })
    const session = { 'mcp-session-id': client.sessionId }
    const stream = await client.listen()
    now += 600_000
    send(app, client, note('still here'))
    expect(await stream.message()).toStrictEqual(note('still here'))
    expect((await legacy.send(legacyMessage('ping'), session)).status).toBe(200)

    stream.cut()
    await until(() => !sessionsOf(app).held.isInUse(client.sessionId))
    now += 600_000
    expect((await legacy.send(legacyMessage('ping'), session)).status).toBe(404)
    clock.mockRestore()
  })
})

describe('the stream of a request', () => {
  it('has ids that are unique in the session, from its priming event to its result', async () => {
    const { client } = await openPair({ tools: [counter], retryMs: 500 })

    const opened = await Promise.all([1, 2, 3].map((id) => client.stream(start('count', { count: 2 }, id))))
    const events = await Promise.all(opened.map((stream) => stream.rest()))

    expect(events.map(messagesIn)).toStrictEqual(
      [1, 2, 3].map((id) => [progress(1), progress(2), answer('counted', id)]),
    )
    expect(events.map(([first]) => first)).toStrictEqual(
      events.map(([first]) => ({ id: first?.id, retry: '500', data: '' })),
    )
    const ids = events.flat().map(({ id }) => id)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(12)
    const streams = events.map((own) => new Set(own.map(({ id }) => id?.split('-')[0])))
    expect(streams.map(({ size }) => size)).toStrictEqual([1, 1, 1])
  })

  it.each(legacyVersions.filter((version) => version !== '2025-11-25'))(
    'has no priming event in %s',
    async (version) => {
      const { client } = await openPair({ tools: [counter] }, version)

      const events = await (await client.stream(start('count', { count: 1 }))).rest()

      expect(messagesIn(events)).toStrictEqual([progress(1), answer('counted')])
      expect(events.map(({ id, retry }) => [typeof id, retry])).toStrictEqual([
        ['string', undefined],
        ['string', undefined],
      ])
    },
  )

  it('of a modern subscription ends with its result when the application closes', async () => {
    const { app, client } = await openPair()
    const message = modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const stream = await client.stream(message, headersOf(message))
    expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged')

    const closed = app.close()

    expect((await stream.message()).result.resultType).toBe('complete')
    await closed
  })

  it('has no ids without a session and in the modern era, which have no resumption', async () => {
    const app = await openApp({ tools: [counter] })

    const stateless = await connectTo(app, { era: 'legacy' }).send(start('count', { count: 1 }), {
      'mcp-protocol-version': '2025-11-25',
    })
    const stated = await connectTo(app).call('count', { count: 1 }, { meta: { progressToken: 'p' } })

    for (const { text } of [stateless, stated]) {
      expect(messagesOf(text)).toHaveLength(2)
      expect(text).not.toMatch(/^id:|^retry:/m)
    }
  })

  it('is plain JSON when no message comes before the result', async () => {
    const { client } = await openPair({ tools: [counter] })

    const reply = await client.send(start('count', { count: 0 }))

    expect(reply.json).toStrictEqual(answer('counted'))
  })

  it('can be resumed after a broken connection: the call continues, and no event is lost or duplicated', async () => {
    const { tool, step, finish, aborted } = stepper()
    const { client } = await openPair({ tools: [tool] })
    step()
    step()
    const broken = await client.stream(start('step'))
    const events = await broken.take(2)
    broken.cut()
    step()
    await delay(20)

    const resumed = await client.resume(lastId(events))
    expect(await resumed.message()).toStrictEqual(progress(2))
    expect(await resumed.message()).toStrictEqual(progress(3))
    step()
    expect(await resumed.message()).toStrictEqual(progress(4))
    finish()

    expect(messagesIn(events)).toStrictEqual([progress(1)])
    expect(messagesIn(await resumed.rest())).toStrictEqual([answer('finished')])
    expect(aborted()).toBe(false)
  })

  it('can be resumed after the end of the call, until the client has all events', async () => {
    const { client } = await openPair({ tools: [counter] })
    const events = await (await client.stream(start('count', { count: 2 }))).rest()

    const replayed = await Promise.all(events.map(async ({ id }) => (await client.resume(id)).rest()))
    const afterAll = await client.resume(lastId(events))

    expect(replayed.slice(0, 3)).toStrictEqual([events.slice(1), events.slice(2), events.slice(3)])
    expect([afterAll.status, await afterAll.rest()]).toStrictEqual([204, []])
  })

  it('ends without a result when the call is cancelled, also for a resumed stream', async () => {
    const { tool, step } = stepper()
    const { client } = await openPair({ tools: [tool] })
    step()
    const broken = await client.stream(start('step'))
    const events = await broken.take(2)
    broken.cut()
    const resumed = await client.resume(lastId(events))
    const [primed] = await resumed.take(1)

    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await client.send(cancelled)

    expect(messagesIn(await resumed.rest())).toStrictEqual([])
    expect((await client.resume(primed?.id)).status).toBe(204)
  })

  it('belongs to the newest connection only', async () => {
    const { tool, step, finish } = stepper()
    const { client } = await openPair({ tools: [tool] })
    step()
    const first = await client.stream(start('step'))
    const events = await first.take(2)

    const [second, third] = [await client.resume(lastId(events)), await client.resume(lastId(events))]
    finish()

    expect(messagesIn(await first.rest())).toStrictEqual([])
    expect(messagesIn(await second.rest())).toStrictEqual([])
    expect(messagesIn(await third.rest())).toStrictEqual([answer('finished')])
  })

  it('delays the shutdown until its result is sent, also when it is resumed', async () => {
    const { tool, step, finish } = stepper()
    const { app, client } = await openPair({ tools: [tool] })
    step()
    const broken = await client.stream(start('step'))
    const events = await broken.take(2)
    broken.cut()
    const resumed = await client.resume(lastId(events))
    await resumed.take(1)
    const channel = await client.listen()

    const closed = app.close()
    // Streams without a pending result end when the shutdown begins.
    await channel.rest()
    finish()

    expect(messagesIn(await resumed.rest())).toStrictEqual([answer('finished')])
    await closed
  })
})

describe('a client that does not read', () => {
  it('gets comments while no message is sent', async () => {
    const { client } = await openPair({ keepAliveMs: 15 })
    const stream = await client.listen()
    const text: string[] = []
    for await (const chunk of stream.response) {
      text.push(String(chunk))
      if (text.join('').split(': keep-alive\n\n').length > 3) break
    }

    expect(text.join('')).toMatch(/^id: 0-1\nretry: 1000\ndata: \n\n(: keep-alive\n\n){3}/)
  })

  it('causes limited memory use, and no delay for other clients', async () => {
    const { app, client, another } = await openPair()
    const idle = [client, await another(), await another(), await another(), await another()]
    const streams = await Promise.all(idle.map((each) => each.listen()))
    for (const stream of streams) stream.response.pause()
    const before = usedHeap()

    // 40 MiB for each client.
    for (let round = 0; round < 40; round++) {
      for (const each of idle) {
        for (let sent = 0; sent < 16; sent++) send(app, each, note(`${round}.${sent}`.padEnd(65_536, 'x')))
      }
      // oxlint-disable-next-line no-await-in-loop
      await delay(1)
    }
    const reply = await client.request('ping')

    expect(reply.json.result).toStrictEqual({})
    // 1 MiB of events, 1 MiB of pending messages, and the socket buffers of both ends. Pending messages need several
    // turns, which take a while on a busy machine.
    await until(() => usedHeap() - before < 5 * 4 * 1024 * 1024)
  })

  it('is disconnected eventually, and its session can then expire', async () => {
    const { app, client } = await openPair({ keepAliveMs: 30 })
    const stream = await client.listen()
    stream.response.pause()
    const session = sessionOf(app, client.sessionId)
    expect(session?.isInUse).toBe(true)

    // More than the socket buffers.
    for (let sent = 0; sent < 600; sent++) {
      send(app, client, note('x'.repeat(65_536)))
      // oxlint-disable-next-line no-await-in-loop
      await delay(1)
    }

    await until(() => session?.isInUse === false)
  })

  it('is released if it disconnects before its stream begins', async () => {
    const { tool, step, finish } = stepper()
    const { app, client } = await openPair({ tools: [tool] })
    const session = sessionOf(app, client.sessionId)
    const gone = await client.abandon(start('step'))
    await until(() => session?.inFlight === 1)
    gone()
    await delay(20)
    step()
    await delay(20)
    finish()

    await until(() => session?.isInUse === false)
    expect(session?.inFlight).toBe(0)
  })
})

describe('a burst', () => {
  it.each([
    ['many events', 10_000, ''],
    ['large events', 300, 'x'.repeat(10_000)],
  ])(
    'of %s arrives completely at a reading client, regardless of the size of the store',
    async (_what, count, text) => {
      const { client } = await openPair({ tools: [burst], limits: { maxStoredBytes: 100_000, maxBufferedBytes: 1e9 } })

      const events = await (await client.stream(start('burst', { count, text }))).rest()

      expect(messagesIn(events).map(({ params }) => params?.progress)).toStrictEqual([
        ...Array.from({ length: count }, (_, index) => index + 1),
        undefined,
      ])
    },
  )

  it('beyond the limit loses messages before the result, but never the result', async () => {
    const { client } = await openPair({ tools: [burst], limits: { maxBufferedBytes: 10_000 } })

    const messages = messagesIn(
      await (await client.stream(start('burst', { count: 1000, text: 'x'.repeat(100) }))).rest(),
    )

    expect(messages.length).toBeLessThan(1001)
    expect(messages.at(-1)).toStrictEqual(answer('burst'))
    expect(messages.slice(0, -1).map(({ params }) => params.progress)).toStrictEqual(
      messages.slice(0, -1).map((_, index) => index + 1),
    )
  })
})

describe('context.closeStream()', () => {
  it('ends the response, and the client gets the rest when it reconnects', async () => {
    const { client } = await openPair({ tools: [closer] })

    const closed = await client.stream(start('close'))
    const events = await closed.rest()
    const resumed = await client.resume(lastId(events))

    expect(events).toStrictEqual([{ id: events[0]?.id, retry: '1000', data: '' }])
    expect(messagesIn(await resumed.rest())).toStrictEqual([progress(1), answer('the rest')])
  })

  it.each(legacyVersions.filter((version) => version !== '2025-11-25'))('has no effect in %s', async (version) => {
    const { client } = await openPair({ tools: [closer] }, version)

    const events = await (await client.stream(start('close'))).rest()

    expect(messagesIn(events)).toStrictEqual([progress(1), answer('the rest')])
  })

  it('has no effect for a client that could not reconnect', async () => {
    const { app, client } = await openPair({ tools: [closer] })
    const legacy = connectTo(app, { era: 'legacy' })
    const headers = { 'mcp-session-id': client.sessionId }

    const stateless = await legacy.send(start('close'), { 'mcp-protocol-version': '2025-11-25' })
    const stated = await connectTo(app).call('close')
    const withoutEvents = await legacy.send(start('close'), { ...headers, accept: 'application/json' })

    expect(stateless.messages).toStrictEqual([progress(1), answer('the rest')])
    expect(stated.json.result.content[0].text).toBe('the rest')
    expect(withoutEvents.json).toStrictEqual(answer('the rest'))
  })
})

describe('a Last-Event-ID', () => {
  it.each([
    '',
    '0',
    '0-0',
    '0-2',
    '0-01',
    '0--1',
    '1-1',
    '-1',
    '0-1e0',
    '0-99999999999999999999',
    '__proto__',
    'x'.repeat(5000),
  ])('that was never sent is rejected: %p', async (id) => {
    const { client } = await openPair()
    await (await client.listen()).take(1)

    await expectRejected(await client.resume(id), 400)
  })

  it("of another session's stream is rejected, or refers to the client's own stream", async () => {
    const { app, client, another } = await openPair({ tools: [counter] })
    const other = await another()
    for (const data of [1, 2, 3]) send(app, client, note(`mine ${data}`))
    for (const data of [1, 2, 3]) send(app, other, note(`theirs ${data}`))
    const [mine, theirs] = [await client.listen(), await other.listen()]
    const ours = [await mine.take(4), await theirs.take(4)]
    const foreign = await (await client.stream(start('count', { count: 3 }))).take(2)

    const resumed = await other.resume(ours[0]?.[0]?.id)

    expect(ours.map((events) => events.map(({ id }) => id))).toStrictEqual([
      ['0-1', '0-2', '0-3', '0-4'],
      ['0-1', '0-2', '0-3', '0-4'],
    ])
    expect([await resumed.message(), await resumed.message()]).toStrictEqual([note('theirs 2'), note('theirs 3')])
    await expectRejected(await other.resume(lastId(foreign)), 400)
  })

  it('is rejected if later events are missing because of their number', async () => {
    const { app, client } = await openPair({ tools: [counter], limits: { maxStoredEvents: 100 } })
    const events = await (await client.stream(start('count', { count: 198 }))).rest()

    const ids = [99, 100, 199].map((index) => events[index]?.id)
    const statuses = await Promise.all(ids.map(async (id) => (await client.resume(id)).status))

    expect(events).toHaveLength(200)
    expect(statuses).toStrictEqual([200, 200, 204])
    expect(app.mcp.metrics().displacedEvents).toBe(100)
    await expectRejected(await client.resume(events[98]?.id), 400)
  })

  it('is rejected if later events are missing because of their size', async () => {
    const { app, client } = await openPair({ limits: { maxStoredBytes: 10_000 } })
    const stream = await client.listen()
    const events = await stream.take(1)
    for (const data of ['a', 'b', 'c', 'd', 'e']) send(app, client, note(data.repeat(2500)))
    events.push(...(await stream.take(5)))

    const statuses = await Promise.all(events.slice(0, 4).map(async ({ id }) => (await client.resume(id)).status))

    expect(statuses).toStrictEqual([400, 400, 200, 200])
  })

  it('is rejected if later events are missing because of their age', async () => {
    const { app, client } = await openPair({ limits: { storedEventMs: 40 } })
    const stream = await client.listen()
    send(app, client, note(1))
    const events = await stream.take(2)
    await delay(60)

    await expectRejected(await client.resume(events[0]?.id), 400)
    expect((await client.resume(events[1]?.id)).status).toBe(200)
  })

  it('becomes invalid when events of other sessions fill the shared limit: the oldest event is dropped first', async () => {
    const { app, client, another } = await openPair({ limits: { maxTotalStoredBytes: 10_000 } })
    const other = await another()
    const stream = await client.listen()
    send(app, client, note('mine'))
    const events = await stream.take(2)
    for (const data of ['a', 'b', 'c', 'd', 'e']) send(app, other, note(data.repeat(2500)))
    await (await other.listen()).take(1)

    await expectRejected(await client.resume(events[0]?.id), 400)
  })

  it('stays valid when other callers get many events, because those lose their own events first', async () => {
    const app = await openApp({ limits: { maxTotalStoredBytes: 10_000 }, fastify: { trustProxy: true } })
    const open = async (address: string): Promise<TestClient> => {
      const { headers } = await connectTo(app, { era: 'legacy' }).initialize(
        '2025-11-25',
        {},
        { 'x-forwarded-for': address },
      )
      return joinSession(app, String(headers['mcp-session-id']))
    }
    const [client, other, another] = [await open('10.0.0.1'), await open('10.0.0.2'), await open('10.0.0.2')]
    const stream = await client.listen()
    send(app, client, note('mine'))
    const events = await stream.take(2)
    stream.cut()
    const lost: SentEvent[] = []
    for (const flood of [other, another]) {
      const theirs = await flood.listen()
      lost.push(...(await theirs.take(1)))
      for (const data of ['a', 'b', 'c', 'd', 'e']) send(app, flood, note(data.repeat(2500)))
      await theirs.take(5)
    }

    expect(await (await client.resume(events[0]?.id)).message()).toStrictEqual(note('mine'))
    await expectRejected(await other.resume(lost[0]?.id), 400)
    for (const each of [client, other, another]) each.close()
  })
})
