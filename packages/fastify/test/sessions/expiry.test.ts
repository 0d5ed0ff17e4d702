import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type Authenticator, type Principal, Type } from '@toolwright/core'
import {
  type AppOptions,
  closeApps,
  connectTo,
  EventReader,
  initializeMessage,
  legacyMessage,
  listen,
  modernMessage,
  openApp,
  openSession,
  serverMeta,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { createWaitingTool } from '../support/waiting-tool.js'
import { openSocket } from '../support/web-socket-client.js'

/** Life of the credentials in milliseconds. No test waits for its end: see {@link expire}. */
const lifeMs = 47_000

/** Functions of timers that wait for the end of credentials. */
const waiting: (() => void)[] = []

beforeEach(() => {
  const start = setTimeout
  const startTimer = (run: () => void, ms = 0): NodeJS.Timeout => {
    // Other timers of a server take at most 30 s, or at least 60 s.
    if (ms > 31_000 && ms <= lifeMs) waiting.push(run)
    return start(run, ms)
  }
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(startTimer)
})

afterEach(async () => {
  await closeApps()
  jest.restoreAllMocks()
  waiting.length = 0
})

/** Moves the clock past the end of the credentials of all earlier requests. */
function expire(): void {
  const now = Date.now.bind(Date)
  jest.spyOn(Date, 'now').mockImplementation(() => now() + lifeMs)
  for (const run of waiting.splice(0)) run()
}

/** Credentials that expire, unless the request asks for fresh ones. */
const authentication: Authenticator = {
  authenticate: ({ headers }): Principal => {
    const principal = { subject: 'ada', roles: [], scopes: [], claims: {} }
    return headers['x-fresh'] === undefined
      ? { ...principal, expiresAt: (Date.now() + lifeMs) / 1000 }
      : { ...principal, expiresAt: Date.now() / 1000 + 3600 }
  },
}

const fresh = { 'x-fresh': 'yes' }

function open(options: AppOptions = {}) {
  return openApp({ authentication, authorization: { default: 'anonymous' }, ...options })
}

const asking: TestTool = {
  name: 'ask',
  handler: async (_args, context) => {
    const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({}) })
    return action
  },
}

const callTimeoutMs = 600

const endless: TestTool = { name: 'endless', handler: async () => new Promise(() => undefined) }

const timedOut = {
  id: 2,
  result: {
    isError: true,
    content: [{ type: 'text', text: "Tool 'endless' did not finish within 0.6 seconds and was stopped." }],
  },
}

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} }
const late: TestTool = { name: 'late', handler: () => '' }

describe('a subscription', () => {
  const subscribe = modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } })
  const subscription = { 'io.modelcontextprotocol/subscriptionId': 1 }

  it('ends with its result when the credentials that opened it expire', async () => {
    const app = await open()

    const stream = await connectTo(app).stream(subscribe)
    const acknowledged = await stream.message()
    expire()

    expect(acknowledged).toStrictEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: subscription, notifications: { toolsListChanged: true } },
    })
    expect(await stream.message()).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', _meta: { ...subscription, ...serverMeta } },
    })
    expect(await stream.next()).toBeNull()
    expect(app.mcp.metrics().subscriptions.value).toBe(0)
  })

  it('continues while its credentials are valid', async () => {
    const app = await open()
    const client = connectTo(app)
    const valid = await client.stream(subscribe, fresh)
    const stream = await client.stream(subscribe)
    await Promise.all([valid.message(), stream.message()])

    expire()
    expect(await stream.message()).toMatchObject({ id: 1 })
    app.mcp.catalog.addTool(late)

    expect(await valid.message()).toMatchObject({ method: changed.method })
  })
})

describe('a call', () => {
  it('in flight when the credentials expire is answered', async () => {
    const { tool, seen, release } = createWaitingTool()
    const client = connectTo(await open({ tools: [tool] }))
    const answer = client.call('wait')
    await until(() => seen.started === 1)

    expire()
    release()

    expect((await answer).json.result.content).toStrictEqual([{ type: 'text', text: 'done' }])
  })
})

describe('the GET stream of a session whose credentials expire', () => {
  it('ends, and unsent messages wait for the next stream', async () => {
    const app = await open()
    const client = await openSession(app)
    await client.stream({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const stream = await client.listen()
    const before = await stream.next()

    expect(stream.status).toBe(200)
    expire()
    expect(await stream.next()).toBeNull()
    app.mcp.catalog.addTool(late)
    const next = await client.listen(fresh)

    expect(before).toMatchObject({ data: '' })
    expect(await next.message()).toStrictEqual(changed)
    client.close()
  })

  it('ends also if a client resumed it', async () => {
    const app = await open()
    const client = await openSession(app)
    const first = await client.listen(fresh)
    const before = await first.next()
    first.cut()

    const stream = await client.resume(before?.id)

    expect(stream.status).toBe(200)
    expire()
    expect((await stream.rest()).every(({ data }) => data === '')).toBe(true)
    client.close()
  })
})

describe('an HTTP+SSE stream with credentials that expire', () => {
  async function openStream(port: number): Promise<{ stream: EventReader; url: string }> {
    const sent = request({ host: '127.0.0.1', port, path: '/sse', headers: { accept: 'text/event-stream' } })
    sent.on('error', () => undefined)
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const stream = new EventReader(response, sent)
    const { pathname, search } = new URL(String((await stream.next())?.data), `http://127.0.0.1:${port}/sse`)
    return { stream, url: pathname + search }
  }

  it('rejects further requests, answers calls in flight, and ends', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await open({ legacySse: true, tools: [tool] })
    const { stream, url } = await openStream(await listen(app))
    const post = (payload: object) => app.inject({ method: 'POST', url, payload, headers: fresh })
    await post(initializeMessage('2024-11-05'))
    expect((await stream.message()).id).toBe(1)
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await post(legacyMessage('tools/call', toolCall('wait'), 2))
    await until(() => seen.started === 1)

    expire()
    app.mcp.catalog.addTool(late)
    await post(legacyMessage('tools/call', toolCall('wait'), 3))
    const rejection = await stream.message()
    release()
    const answer = await stream.message()

    expect(rejection).toStrictEqual({
      jsonrpc: '2.0',
      id: 3,
      error: {
        code: -32600,
        message: 'Unauthorized: the credentials of this connection have expired. Reconnect with new credentials',
      },
    })
    expect(answer).toStrictEqual({ jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'done' }] } })
    expect(await stream.next()).toBeNull()
    expect(seen.started).toBe(1)
    expect((await post(legacyMessage('ping'))).statusCode).toBe(404)
  })

  it('ends after the time limit of a call, regardless of its handler', async () => {
    const app = await open({ legacySse: true, tools: [endless], limits: { callTimeoutMs } })
    const { stream, url } = await openStream(await listen(app))
    await app.inject({ method: 'POST', url, payload: legacyMessage('tools/call', toolCall('endless'), 2) })
    expire()

    expect(await stream.message()).toMatchObject(timedOut)
    expect(await stream.next()).toBeNull()
    expect(app.mcp.metrics().inFlight.value).toBe(0)
  })

  it('ends at once without calls in flight', async () => {
    const app = await open({ legacySse: true })
    const { stream } = await openStream(await listen(app))
    expire()

    expect(await stream.next()).toBeNull()
  })
})

describe('a WebSocket with credentials that expire', () => {
  it('rejects further requests, answers calls in flight, and closes with a reason', async () => {
    const { tool, seen, release } = createWaitingTool()
    const app = await open({ webSocket: true, tools: [tool] })
    const client = await openSocket(await listen(app))
    await client.request(initializeMessage('2025-11-25'))
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    client.send(legacyMessage('tools/call', toolCall('wait'), 2))
    await until(() => seen.started === 1)

    expire()
    app.mcp.catalog.addTool(late)
    const rejection = await client.request(legacyMessage('tools/call', toolCall('wait'), 3))
    const rejected = await client.request([legacyMessage('ping', {}, 4)] as never)
    release()

    const message = 'Unauthorized: the credentials of this connection have expired. Reconnect with new credentials'
    expect(rejection).toStrictEqual({ jsonrpc: '2.0', id: 3, error: { code: -32600, message } })
    expect(rejected).toStrictEqual({ jsonrpc: '2.0', error: { code: -32600, message } })
    expect(await client.next()).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: 'done' }] } })
    expect(await client.closed).toStrictEqual([1008, 'the credentials have expired'])
    expect(seen.started).toBe(1)
  })

  it('closes after the time limit of a call, regardless of its handler', async () => {
    const app = await open({ webSocket: true, tools: [endless], limits: { callTimeoutMs } })
    const client = await openSocket(await listen(app))
    client.send(legacyMessage('tools/call', toolCall('endless'), 2))
    await until(() => app.mcp.metrics().inFlight.value === 1)
    expire()

    expect(await client.next()).toMatchObject(timedOut)
    expect(await client.closed).toStrictEqual([1008, 'the credentials have expired'])
    expect(app.mcp.metrics().inFlight.value).toBe(0)
  })

  it('ends its subscriptions with a result first', async () => {
    const client = await openSocket(await listen(await open({ webSocket: true })))
    const acknowledged = await client.request(
      modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )

    expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged')
    expire()
    expect(await client.next()).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect(await client.closed).toStrictEqual([1008, 'the credentials have expired'])
  })

  it('accepts the answer that a call in flight waits for', async () => {
    const app = await open({ webSocket: true, tools: [asking] })
    const client = await openSocket(await listen(app))
    await client.request(initializeMessage('2025-11-25', { capabilities: { elicitation: {} } }))
    const question = await client.request(legacyMessage('tools/call', toolCall('ask'), 2))

    expire()
    client.send({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } } as never)

    expect((await client.next()).result.content).toStrictEqual([{ type: 'text', text: 'decline' }])
    expect(await client.closed).toStrictEqual([1008, 'the credentials have expired'])
  })

  it('stays open with valid credentials', async () => {
    const app = await open({ webSocket: true })
    const client = await openSocket(await listen(app), '/ws', { headers: fresh })

    expire()

    expect(await client.request(legacyMessage('ping'))).toStrictEqual({ jsonrpc: '2.0', id: 1, result: {} })
    client.socket.close()
  })
})
