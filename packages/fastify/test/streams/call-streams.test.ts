import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  legacyMessage,
  listen,
  type Message,
  messagesOf,
  modernMessage,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { sendsHostileRequests } from '../../../../test/support/frames/frames.js'
import { createGate } from '../../../../test/support/gate.js'
import { until } from '../../../../test/support/until.js'
import { openSocket } from '../support/raw-client.js'

const counting: TestTool = {
  name: 'count',
  handler: async (_args, context) => {
    context.progress({ progress: 1, total: 3, message: 'one' })
    await delay(1)
    context.progress({ progress: 2, total: 3 })
    context.progress({ progress: 2.5 })
    return 'counted'
  },
}

const quick: TestTool = { name: 'quick', handler: () => 'quick' }

afterEach(closeApps)

/** A call that requests progress. */
function watched(name: string, era: 'modern' | 'legacy', args: object = {}, token: unknown = 'token'): Message {
  const params = { ...toolCall(name, args), _meta: { progressToken: token } }
  return era === 'modern' ? modernMessage('tools/call', params) : legacyMessage('tools/call', params)
}

function progress(params: object): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'token', ...params } }
}

const plain = 'application/json; charset=utf-8'
const events = 'text/event-stream'

describe.each(['modern', 'legacy'] as const)('a %s call', (era) => {
  const version = { 'mcp-protocol-version': '2025-06-18' }
  const send = (app: FastifyInstance, message: Message, headers: Record<string, string | undefined> = {}) =>
    era === 'modern'
      ? connectTo(app).send(message, headers)
      : connectTo(app, { era: 'legacy' }).send(message, { ...version, ...headers })

  it('that reports progress gets events, the last of which is the result', async () => {
    const app = await openApp({ tools: [counting] })

    const reply = await send(app, watched('count', era))

    expect(reply.status).toBe(200)
    expect(reply.headers).toMatchObject({
      'content-type': events,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    const [result, ...notifications] = reply.messages.toReversed()
    expect(notifications.toReversed()).toStrictEqual([
      progress({ progress: 1, total: 3, message: 'one' }),
      progress({ progress: 2, total: 3 }),
      progress({ progress: 2.5 }),
    ])
    expect(result).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'counted' }] } })
    expect(reply.text).not.toMatch(/^id:/m)
  })

  it('that reports no progress gets JSON, although progress was requested', async () => {
    const app = await openApp({ tools: [quick] })

    const reply = await send(app, watched('quick', era))

    expect(reply.headers['content-type']).toBe(plain)
    expect(reply.json).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'quick' }] } })
  })

  it('that did not request progress gets no progress', async () => {
    const app = await openApp({ tools: [counting] })
    const message =
      era === 'modern' ? modernMessage('tools/call', toolCall('count')) : legacyMessage('tools/call', toolCall('count'))

    const reply = await send(app, message)

    expect(reply.headers['content-type']).toBe(plain)
    expect(reply.json.result.content).toStrictEqual([{ type: 'text', text: 'counted' }])
  })

  it.each(['', 'ü', 0, -5, 2 ** 53 - 1])('gets progress under the token %j', async (token) => {
    const app = await openApp({ tools: [counting] })

    const [first] = messagesOf((await send(app, watched('count', era, {}, token))).text)

    expect(first.params.progressToken).toBe(token)
  })

  it.each([null, 1.5, true, {}, [], ['token']])('gets no progress for the invalid token %j', async (token) => {
    sendsHostileRequests()
    const app = await openApp({ tools: [counting] })

    expect((await send(app, watched('count', era, {}, token))).headers['content-type']).toBe(plain)
  })

  it('gets only progress that increases, and only finite numbers', async () => {
    const jumpy: TestTool = {
      name: 'jumpy',
      handler: (_args, context) => {
        for (const value of [1, 1, 0.5, -1, Number.NaN, 2, Number.POSITIVE_INFINITY, 3]) context.progress(value, 3)
        context.progress({ progress: 4, total: Number.POSITIVE_INFINITY })
        context.progress({ progress: 5, total: Number.NaN })
        return 'ok'
      },
    }
    const app = await openApp({ tools: [jumpy] })

    const reply = await send(app, watched('jumpy', era))

    expect(reply.messages.slice(0, -1)).toStrictEqual([
      progress({ progress: 1, total: 3 }),
      progress({ progress: 2, total: 3 }),
      progress({ progress: 3, total: 3 }),
      progress({ progress: 4 }),
      progress({ progress: 5 }),
    ])
  })

  it('gets no message after its result', async () => {
    let late: Promise<void> | undefined
    const leaky: TestTool = {
      name: 'leaky',
      handler: (_args, context) => {
        context.progress(1)
        late = delay(5).then(() => context.progress(2))
        return 'answered'
      },
    }
    const app = await openApp({ tools: [leaky, quick] })
    const port = await listen(app)
    const socket = await openSocket(port)

    socket.send(watched('leaky', era))
    await socket.until('\r\n0\r\n\r\n')
    await late
    await delay(5)
    socket.send(watched('quick', era))
    await socket.until('quick')

    expect(socket.received().match(/notifications\/progress/g)).toHaveLength(1)
    expect(socket.received().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    socket.destroy()
  })

  it('that fails after progress fails within the stream', async () => {
    const failing: TestTool = {
      name: 'failing',
      handler: (_args, context) => {
        context.progress(1)
        throw new Error('secret')
      },
    }
    const app = await openApp({ tools: [failing] })

    const reply = await send(app, watched('failing', era))

    const [first, last] = reply.messages
    expect([reply.status, first, last.result.isError]).toStrictEqual([200, progress({ progress: 1 }), true])
    expect(reply.text).not.toContain('secret')
  })

  it('that times out ends its stream with an error for the model', async () => {
    const endless: TestTool = {
      name: 'endless',
      timeoutMs: 10,
      handler: (_args, context) => {
        context.progress(1)
        return new Promise(() => undefined)
      },
    }
    const app = await openApp({ tools: [endless] })

    const reply = await send(app, watched('endless', era))

    expect(reply.messages.at(-1).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: "Tool 'endless' did not finish within 0.01 seconds and was stopped." }],
    })
  })

  it.each<[string, string | undefined, 'quick' | 'count', string, number]>([
    ['no Accept header', undefined, 'quick', plain, 1],
    ['no Accept header', undefined, 'count', events, 4],
    ['both kinds', 'application/json, text/event-stream', 'quick', plain, 1],
    ['both kinds', 'text/event-stream,application/json', 'count', events, 4],
    ['anything', '*/*', 'quick', plain, 1],
    ['anything', '*/*', 'count', events, 4],
    ['JSON only', 'application/json', 'quick', plain, 1],
    ['JSON only', 'application/json', 'count', plain, 1],
    ['JSON only, with parameters', 'Application/JSON; charset=utf-8; q=0.9', 'count', plain, 1],
    ['any application', 'application/*', 'count', plain, 1],
    ['events only', 'text/event-stream', 'quick', events, 1],
    ['events only', 'text/event-stream', 'count', events, 4],
    ['any text', 'text/*', 'count', events, 4],
    ['several kinds', 'text/html, application/json;q=0.5, text/event-stream;q=0.1', 'count', events, 4],
  ])('with a client that accepts %s (%p) gets %s as %s', async (_what, accept, name, type, messages) => {
    const app = await openApp({ tools: [counting, quick] })

    const reply = await send(app, watched(name, era), { accept })

    const received = type === events ? reply.messages : [reply.json]
    expect([reply.status, reply.headers['content-type'], received.length]).toStrictEqual([200, type, messages])
    expect(received.at(-1).result.content).toHaveLength(1)
  })

  it.each([
    'text/html',
    'application/xml',
    'application/jsonx',
    'text/event-streams',
    'image/*',
    'json',
    ';',
    'application/json;q=0',
    'application/json; q=0.',
    'text/event-stream; level=1 ; q=0.000 ;x=1',
  ])('with a client that accepts only %p is rejected', async (accept) => {
    const app = await openApp({ tools: [quick] })

    const reply = await send(app, watched('quick', era), { accept })

    expect([reply.status, reply.json]).toStrictEqual([
      406,
      {
        jsonrpc: '2.0',
        error: { code: -32600, message: 'Not Acceptable: accept application/json and text/event-stream' },
      },
    ])
  })
})

it('progress for 2024-11-05 has no message', async () => {
  const client = connectTo(await openApp({ tools: [counting] }), { era: 'legacy' })

  const reply = await client.send(watched('count', 'legacy'), { 'mcp-protocol-version': '2024-11-05' })

  expect(reply.messages[0]).toStrictEqual(progress({ progress: 1, total: 3 }))
})

describe('a client that disconnects', () => {
  const rounds = 200

  it.each<[string, Message]>([
    ['before the response began', modernMessage('tools/call', toolCall('wait'))],
    ['in the middle of its events', watched('wait', 'modern')],
  ])('cancels its modern call %s', async (_what, message) => {
    const { wait, seen } = waiting()
    const app = await openApp({ tools: [wait, quick] })
    const port = await listen(app)
    const sockets = await Promise.all(Array.from({ length: rounds }, () => openSocket(port)))
    for (const socket of sockets) socket.send(message)
    await until(() => seen.started === rounds)
    const took: number[] = []
    for (const [index, socket] of sockets.entries()) {
      const began = performance.now()
      socket.destroy()
      // oxlint-disable-next-line no-await-in-loop
      await until(() => seen.aborted === index + 1)
      took.push(performance.now() - began)
    }

    expect(seen).toStrictEqual({ started: rounds, aborted: rounds, finished: rounds })
    // The median instead of the maximum, which depends on the load of the machine.
    expect(took.toSorted((a, b) => a - b)[rounds * 0.95]).toBeLessThan(100)
    expect((await connectTo(app).call('quick')).status).toBe(200)
  })

  it.each<[string, Message]>([
    ['before the response began', legacyMessage('tools/call', toolCall('wait'))],
    ['in the middle of its events', watched('wait', 'legacy')],
  ])('does not cancel its legacy call %s', async (_what, message) => {
    const { wait, seen, release } = waiting()
    const app = await openApp({ tools: [wait, quick] })
    const port = await listen(app)
    const sockets = await Promise.all(Array.from({ length: rounds }, () => openSocket(port)))
    for (const socket of sockets) socket.send(message)
    await until(() => seen.started === rounds)
    for (const socket of sockets) socket.destroy()
    await until(async () => (await connectionsOf(app)) === 0)
    release()
    await until(() => seen.finished === rounds)

    expect(seen.aborted).toBe(0)
    expect((await connectTo(app, { era: 'legacy' }).call('quick')).status).toBe(200)
  })

  it('cancels nothing when only one of its connections closes', async () => {
    const { wait, seen, release } = waiting()
    const app = await openApp({ tools: [wait] })
    const port = await listen(app)
    const [gone, stays] = [await openSocket(port), await openSocket(port)]
    gone.send(watched('wait', 'modern'))
    stays.send(watched('wait', 'modern'))
    await until(() => seen.started === 2)
    gone.destroy()
    await until(() => seen.aborted === 1)
    release()
    await stays.until('done')

    expect(seen).toStrictEqual({ started: 2, aborted: 1, finished: 2 })
    stays.destroy()
  })
})

describe('notifications/cancelled in a session', () => {
  it('ends the stream of its call without a result', async () => {
    let aborted = 0
    const wait: TestTool = {
      name: 'wait',
      handler: (_args, context) => {
        context.progress(1)
        context.signal.addEventListener('abort', () => {
          aborted++
          context.progress(2)
        })
        return new Promise(() => undefined)
      },
    }
    const app = await openApp({ tools: [wait] })
    const session = await openSession(app)
    const reply = session.send({ ...watched('wait', 'legacy'), id: 'w' })
    await delay(20)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w', reason: 'bored' } }
    await session.send(cancelled)
    await session.send(cancelled)

    expect(messagesOf((await reply).text)).toStrictEqual([progress({ progress: 1 })])
    expect(aborted).toBe(1)
  })

  it('cancels the client requests of its call, before the stream ends', async () => {
    const asks: TestTool = { name: 'asks', handler: async (_args, context) => (await context.listRoots()).length }
    const app = await openApp({ tools: [asks] })
    const session = await openSession(app, { params: { capabilities: { roots: {} } } })
    const reply = session.call('asks', {}, { id: 'a' })
    await until(() => app.mcp.metrics().pendingClientRequests === 1)
    await session.notify('notifications/cancelled', { requestId: 'a' })

    const [question, taken, ...more] = messagesOf((await reply).text) as Message[]

    expect(question).toMatchObject({ method: 'roots/list' })
    expect(taken).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question?.['id'] } })
    expect(more).toStrictEqual([])
  })
})

describe('a client that does not read', () => {
  const megabytes = 100

  it.each(['modern', 'legacy'] as const)('is disconnected: %s', async (era) => {
    const { tool, seen } = flood(megabytes)
    const app = await openApp({ tools: [tool, quick], limits: { maxBufferedBytes: 2 * 1024 * 1024 } })
    const port = await listen(app)
    const socket = await openSocket(port)
    socket.pause()
    socket.send(watched('flood', era))

    await until(async () => (await connectionsOf(app)) === 0)
    await until(() => seen.finished)

    expect(app.mcp.metrics().cutStreams).toBe(1)
    expect(seen.aborted).toBe(era === 'modern')
    // A legacy call continues; a modern call stops before it has sent everything.
    expect(seen.sent < megabytes).toBe(era === 'modern')
    expect((await connectTo(app, { era: 'legacy' }).call('quick')).status).toBe(200)
    socket.destroy()
  })

  it('is disconnected with a large limit, too, because it does not read comments either', async () => {
    const { tool, seen } = flood(20)
    const app = await openApp({ tools: [tool], keepAliveMs: 30, limits: { maxBufferedBytes: 1e9 } })
    const socket = await openSocket(await listen(app))
    socket.pause()
    socket.send(watched('flood', 'modern'))

    await until(() => seen.finished)
    await until(async () => (await connectionsOf(app)) === 0)

    expect(seen.sent).toBeGreaterThan(1)
    socket.destroy()
  })

  it('does not affect clients that read', async () => {
    let received = 0
    let size = 0
    const paced: TestTool = {
      name: 'paced',
      handler: async (_args, context) => {
        for (let sent = 1; sent <= 10; sent++) {
          context.progress({ progress: sent, message: 'x'.repeat(1024 * 1024) })
          size += 1024 * 1024
          // oxlint-disable-next-line no-await-in-loop
          await until(() => received > size)
        }
        return 'all'
      },
    }
    const app = await openApp({ tools: [paced], limits: { maxBufferedBytes: 2 * 1024 * 1024 } })
    const socket = await openSocket(await listen(app), (bytes) => {
      received += bytes
    })
    socket.send(watched('paced', 'modern'))

    await socket.until('"text":"all"')

    expect(socket.received().match(/notifications\/progress/g)).toHaveLength(10)
    socket.destroy()
  })
})

/** Number of connected clients. */
function connectionsOf(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

/** A tool that waits for the end of its signal, or for `release`. */
function waiting() {
  const seen = { started: 0, aborted: 0, finished: 0 }
  const gate = createGate()
  const wait: TestTool = {
    name: 'wait',
    handler: async (_args, context) => {
      context.progress(1)
      seen.started++
      await new Promise<void>((resolve) => {
        context.signal.addEventListener('abort', () => {
          seen.aborted++
          context.progress(2)
          resolve()
        })
        void gate.opened.then(resolve)
      })
      seen.finished++
      return 'done'
    },
  }
  return { wait, seen, release: gate.open }
}

/** Sends large messages as long as its signal allows. */
function flood(total: number) {
  const seen = { sent: 0, aborted: false, finished: false }
  const tool: TestTool = {
    name: 'flood',
    handler: async (_args, context) => {
      const message = 'x'.repeat(1024 * 1024)
      context.signal.addEventListener('abort', () => {
        seen.aborted = true
      })
      while (seen.sent < total && !seen.aborted) {
        context.progress({ progress: ++seen.sent, message })
        // oxlint-disable-next-line no-await-in-loop
        await delay(1)
      }
      seen.finished = true
      return 'flooded'
    },
  }
  return { tool, seen }
}
