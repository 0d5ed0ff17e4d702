import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import {
  type Authenticator,
  connectInMemory,
  LimitError,
  type McpContext,
  type RateLimiter,
  Type,
} from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  closeApps,
  connectTo,
  headersOf,
  legacyMessage,
  listen,
  type Message,
  modernMessage,
  openApp,
} from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'
import { processorMs } from '../../../../test/support/processor-time.js'
import { until } from '../../../../test/support/until.js'
import { openSocket } from '../support/web-socket-client.js'

afterEach(closeApps)

interface Answered {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

const wait = {
  name: 'wait',
  inputSchema: { type: 'object', properties: { ms: { type: 'number' } } },
  handler: ({ ms }: { ms: number }) => setTimeout(ms, 'waited'),
}

async function send(port: number, message: Message, agent: Agent): Promise<Answered> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': message.method,
    'mcp-name': String(message.params?.['name']),
  }
  const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers })
  sent.end(JSON.stringify(message))
  const [response] = await once(sent, 'response')
  const body = await readText(response)
  const { statusCode: status, headers: received } = response
  return { status, retryAfter: received['retry-after'], json: JSON.parse(body) }
}

const callWait = (ms: number) => modernMessage('tools/call', { name: 'wait', arguments: { ms } })

const busy = {
  code: -32603,
  message: 'The server is busy. Try again in 1 s',
  data: { retryAfterMs: 1000 },
}

describe('requests beyond maxInFlight', () => {
  it('are rejected at once, the others are answered, and the server recovers', async () => {
    const gate = createGate()
    const handler = (): Promise<string> => gate.opened.then(() => 'waited')
    const app = await openApp({ tools: [{ name: 'wait', handler }], limits: { maxInFlight: 50 } })
    const port = await listen(app)
    const agent = new Agent({ keepAlive: true })
    const slow = modernMessage('tools/call', { name: 'wait', arguments: {} })
    const answering = Array.from({ length: 300 }, () => send(port, slow, agent))
    await until(() => app.mcp.metrics().rejectedRequests === 250)
    expect(app.mcp.metrics().inFlight).toEqual({ value: 50, max: 50 })
    gate.open()
    const answers = await Promise.all(answering)
    const accepted = answers.filter(({ status }) => status === 200)
    const rejected = answers.filter(({ status }) => status === 503)
    expect([accepted.length, rejected.length]).toEqual([50, 250])
    expect(rejected[0]).toMatchObject({ retryAfter: '1', json: { jsonrpc: '2.0', error: busy } })
    expect(accepted.every(({ json }) => json.result.content[0].text === 'waited')).toBe(true)
    expect(app.mcp.metrics()).toMatchObject({ inFlight: { value: 0, max: 50 }, rejectedRequests: 250 })
    expect(await send(port, slow, agent)).toMatchObject({ status: 200 })
    agent.destroy()
  })

  it('are rejected within milliseconds when the server is full', async () => {
    const gate = createGate()
    const app = await openApp({ tools: [{ name: 'wait', handler: () => gate.opened }], limits: { maxInFlight: 1 } })
    const port = await listen(app)
    const agent = new Agent({ keepAlive: true })
    const ask = modernMessage('tools/call', { name: 'wait', arguments: {} })
    const running = send(port, ask, agent)
    await until(() => app.mcp.inFlight.isFull)
    const rejected: number[] = []
    for (let index = 0; index < 200; index++) {
      // oxlint-disable-next-line no-await-in-loop
      const tookMs = await processorMs(async () => {
        expect(await send(port, ask, agent)).toMatchObject({ status: 503 })
      })
      rejected.push(tookMs)
    }
    // Processor time of the client and the server together.
    expect(rejected.toSorted((a, b) => a - b)[197]).toBeLessThan(100)
    gate.open()
    expect(await running).toMatchObject({ status: 200 })
    agent.destroy()
  })

  it('are rejected before their bodies are read, except messages that calls in flight may wait for', async () => {
    const gate = createGate()
    const app = await openApp({ tools: [{ ...wait, handler: () => gate.opened }], limits: { maxInFlight: 1 } })
    const legacy = connectTo(app, { era: 'legacy' })
    const opened = await legacy.initialize('2025-11-25')
    expect(opened).toMatchObject({ status: 200 })
    const { headers } = opened
    const session = { 'mcp-session-id': String(headers['mcp-session-id']) }
    const running = connectTo(app).send(callWait(0))
    await until(() => app.mcp.inFlight.isFull)
    expect(
      await app.inject({ method: 'POST', url: '/mcp', headers: { host: '127.0.0.1' }, payload: '{' }),
    ).toMatchObject({
      statusCode: 503,
    })
    const notification: Message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } }
    expect(await legacy.send(notification, session)).toMatchObject({ status: 202 })
    expect(await legacy.send(legacyMessage('ping'), session)).toMatchObject({ status: 503, json: { error: busy } })
    gate.open()
    expect(await running).toMatchObject({ status: 200 })
  })

  it('are rejected, except answers of 2024-11-05 clients that a call waits for', async () => {
    const ask = {
      name: 'ask',
      handler: async (_args: unknown, context: McpContext) => {
        const answer = await context.elicit({ message: 'Who?', schema: Type.Object({ name: Type.String() }) })
        return answer.action
      },
    }
    const app = await openApp({ legacySse: true, tools: [ask], limits: { maxInFlight: 1 } })
    const port = await listen(app)
    const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }))
    await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`)))
    expect(await client.callTool({ name: 'ask' })).toEqual({ content: [{ type: 'text', text: 'decline' }] })
    await client.close()
  })

  it('get Retry-After in whole seconds, rounded up', async () => {
    const app = await openApp({ tools: [wait] })
    app.addHook('onRequest', async () => {
      throw new LimitError('unavailable', 'Not now', 1200)
    })
    const { status, headers, json } = await connectTo(app).send(callWait(0))
    expect([status, headers['retry-after'], json.error.data]).toEqual([503, '2', { retryAfterMs: 1200 }])
  })

  it('include each request of a batch', async () => {
    const gate = createGate()
    const app = await openApp({ tools: [{ ...wait, handler: () => gate.opened }], limits: { maxInFlight: 2 } })
    const call = (id: number) => ({ ...legacyMessage('tools/call', { name: 'wait', arguments: { ms: 0 } }), id })
    const running = connectTo(app, { era: 'legacy' }).send([
      call(1),
      call(2),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ])
    await until(() => app.mcp.metrics().inFlight.value > 0)
    expect(app.mcp.metrics().inFlight).toEqual({ value: 2, max: 2 })
    expect(await connectTo(app).send(callWait(1))).toMatchObject({ status: 503 })
    gate.open()
    expect(await running).toMatchObject({ status: 200, json: [{ id: 1 }, { id: 2 }] })
    expect(app.mcp.metrics().inFlight).toEqual({ value: 0, max: 2 })
  })

  it('do not include subscriptions, which have a separate limit', async () => {
    const app = await openApp({ tools: [wait], limits: { maxInFlight: 1, maxSubscriptions: 1 } })
    const port = await listen(app)
    const subscribe = () =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify(modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      })
    const first = await subscribe()
    expect(first.status).toBe(200)
    expect(app.mcp.metrics()).toMatchObject({ inFlight: { value: 0 }, subscriptions: { value: 1, max: 1 } })
    expect(await connectTo(app).send(callWait(1))).toMatchObject({ status: 200 })
    const second = await subscribe()
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '10'])
    await first.body?.cancel()
  })

  it('are rejected on other transports, too', async () => {
    const app = await openApp({ tools: [wait], limits: { maxInFlight: 1 } })
    const received: unknown[] = []
    const client = connectInMemory(app.mcp, { onMessage: (message) => received.push(message) })
    client.send({ ...callWait(100), id: 1 })
    client.send({ ...callWait(100), id: 2 })
    await until(() => received.length === 2)
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 2, error: busy },
      expect.objectContaining({ id: 1, result: expect.anything() }),
    ])
    await client.close()
  })
})

describe('limits of a tool', () => {
  const quick = { name: 'quick', handler: () => 'done' }
  const call = (app: FastifyInstance) => connectTo(app).request('tools/call', { name: 'quick', arguments: {} })

  it('limit concurrent calls', async () => {
    const gate = createGate()
    const app = await openApp({ tools: [{ ...wait, handler: () => gate.opened, maxConcurrent: 2 }] })
    const client = connectTo(app)
    const running = [1, 2].map(() => client.send(callWait(0)))
    await until(() => app.mcp.metrics().inFlight.value === 2)
    const rejected = await client.send(callWait(0))
    expect([rejected.status, rejected.json.error.message]).toEqual([
      503,
      "Tool 'wait': at most 2 at once. Try again in 1 s",
    ])
    gate.open()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect(await client.send(callWait(0))).toMatchObject({ status: 200 })
  })

  it('do not count calls that the rate limit rejected as running', async () => {
    const app = await openApp({ tools: [{ ...quick, maxConcurrent: 2, rateLimit: { calls: 1, windowMs: 60_000 } }] })
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await call(app)).status)
    expect(statuses).toEqual([200, 429, 429, 429, 429])
  })

  it('limit running handlers, including those of disconnected clients', async () => {
    const gate = createGate()
    const signals: AbortSignal[] = []
    const handler = async (_args: unknown, { signal }: McpContext): Promise<string> => {
      signals.push(signal)
      await gate.opened
      return 'done'
    }
    const app = await openApp({ tools: [{ name: 'stubborn', handler, maxConcurrent: 1 }] })
    const client = connectTo(app)
    const message = modernMessage('tools/call', { name: 'stubborn', arguments: {} })
    const url = `http://127.0.0.1:${await listen(app)}/mcp`
    const left = new AbortController()
    const sent = fetch(url, {
      method: 'POST',
      signal: left.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersOf(message),
      },
      body: JSON.stringify(message),
    })
    await until(() => signals.length === 1)
    left.abort()
    await expect(sent).rejects.toThrow('aborted')
    await until(() => signals[0]?.aborted === true)
    expect(await client.send(message)).toMatchObject({ status: 503 })
    gate.open()
    await until(async () => (await client.send(message)).status === 200)
    expect(signals).toHaveLength(2)
  })

  it('limit the rate of each caller, in every era', async () => {
    const app = await openApp({ tools: [{ ...quick, rateLimit: { calls: 2, windowMs: 60_000 } }] })
    const answers = [await call(app), await call(app), await call(app)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.json.error).toEqual({
      code: -32600,
      message: expect.stringMatching(/^Tool 'quick': at most 2 in 60 s\. Try again in (?:60|59) s$/),
      data: { retryAfterMs: expect.any(Number) },
    })
    expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(50)
    expect(await connectTo(app, { era: 'legacy' }).request('tools/call', { name: 'quick' })).toMatchObject({
      status: 429,
    })
    const other = await app.inject({
      method: 'POST',
      url: '/mcp',
      remoteAddress: '10.0.0.9',
      headers: {
        host: '127.0.0.1',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      payload: legacyMessage('tools/call', { name: 'quick' }),
    })
    expect(other.statusCode).toBe(200)
  })

  it('drop the counter of a caller after its window', async () => {
    const app = await openApp({ tools: [{ ...quick, rateLimit: { calls: 1, windowMs: 1000 } }] })
    expect([(await call(app)).status, (await call(app)).status]).toEqual([200, 429])
    await until(async () => (await call(app)).status === 200)
  })

  it('reject calls when they cannot be counted', async () => {
    const rateLimiter: RateLimiter = { take: () => Promise.reject(new Error('no connection to 10.0.0.3')) }
    const app = await openApp({ rateLimiter, tools: [{ ...quick, rateLimit: { calls: 2, windowMs: 1000 } }] })
    expect(await call(app)).toMatchObject({
      status: 503,
      json: { error: { code: -32603, message: 'The rate limiter is temporarily unavailable. Try again in 1 s' } },
    })
  })
})

describe('rejections by limits of tools and callers', () => {
  const quick = { name: 'quick', handler: () => 'done' }

  afterEach(() => jest.restoreAllMocks())

  /** Log lines of a server about its rejections, for any number of requests. */
  async function openLogged(options: AppOptions) {
    const lines: { what?: string; limit?: string; rejected?: number }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const app = await openApp({ ...options, fastify: { logger: { stream } } })
    return { app, said: () => lines.flatMap(({ what, limit, rejected }) => (what ? [[what, limit ?? rejected]] : [])) }
  }

  it('are logged in two lines for each limit, and counted', async () => {
    const now = jest.spyOn(performance, 'now')
    let exceeded = 'nothing'
    const { app, said } = await openLogged({
      rateLimiter: { take: (key) => (key.startsWith(exceeded) ? 1000 : 0) },
      rateLimit: { calls: 10, windowMs: 60_000 },
      tools: [
        { ...quick, rateLimit: { calls: 1, windowMs: 1000 } },
        { ...wait, maxConcurrent: 1 },
      ],
    })
    const client = connectTo(app)
    const call = () => client.request('tools/call', { name: 'quick', arguments: {} })
    const statuses = async (): Promise<number[]> => [(await call()).status, (await call()).status]

    exceeded = 'Tool'
    expect(await statuses()).toEqual([429, 429])
    await Promise.all([1, 2, 3].map(() => client.send(callWait(10))))
    exceeded = 'nothing'
    expect(await statuses()).toEqual([200, 200])
    const beginnings = [
      ["Tool 'quick'", 'at most 1 in 1 s'],
      ["Tool 'wait'", 'at most 1 at once'],
    ]
    expect(said()).toEqual(beginnings)

    const later = performance.now() + 10_000
    now.mockImplementation(() => later)
    expect(await statuses()).toEqual([200, 200])
    expect(said()).toEqual([...beginnings, ["Tool 'quick'", 2]])

    exceeded = 'Requests'
    expect(await statuses()).toEqual([429, 429])
    expect(said().at(-1)).toEqual(['Requests', 'at most 10 in 60 s'])
    expect(app.mcp.metrics()).toMatchObject({ limitedRequests: 6, rejectedRequests: 0 })
  })
})

describe('limits of a caller', () => {
  it('limit the rate of all its requests', async () => {
    const client = connectTo(await openApp({ rateLimit: { calls: 2, windowMs: 60_000 } }))
    const statuses: number[] = []
    for (let index = 0; index < 3; index++) {
      // oxlint-disable-next-line no-await-in-loop
      statuses.push((await client.request('tools/list')).status)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it.each([
    ['by its address', '198.51.100.4', '198.51.100.4', '198.51.100.5'],
    [
      'by the address without the port, which some proxies add',
      '198.51.100.4:1001',
      '198.51.100.4:1002',
      '198.51.100.5:1001',
    ],
    ['by the network of an IPv6 address', '2001:db8:1:2::3', '2001:db8:1:2:ffff::4', '2001:db8:1:3::3'],
    ['by that network, with ports', '[2001:db8:1:2::3]:1001', '[2001:db8:1:2:ffff::4]:1002', '[2001:db8:1:3::3]:1001'],
    ['by that network, in any notation', '2001:db8::7:0:0:0:3', '2001:db8:0:7::4', '2001:db8::7:3'],
    ['by an IPv4-mapped IPv6 address', '::ffff:198.51.100.4', '198.51.100.4:1001', '::ffff:198.51.100.5'],
  ])('identify a client behind a proxy %s', async (_how, first, second, other) => {
    const fastify = { trustProxy: ['loopback'] }
    const client = connectTo(await openApp({ rateLimit: { calls: 1, windowMs: 60_000 }, fastify }))
    const statusFrom = async (from: string): Promise<number> =>
      (await client.request('tools/list', {}, { headers: { 'x-forwarded-for': `10.1.1.1, ${from}` } })).status

    expect(await statusFrom(first)).toBe(200)
    expect(await statusFrom(second)).toBe(429)
    expect(await statusFrom(other)).toBe(200)
  })

  it('distinguish users, but not two clients of one user', async () => {
    const authentication: Authenticator = {
      authenticate: ({ headers }) => {
        const claims = { iss: 'https://login.example', client_id: String(headers['x-client']) }
        return { subject: String(headers['x-who']), roles: [], scopes: [], claims }
      },
    }
    const modern = connectTo(await openApp({ authentication, rateLimit: { calls: 1, windowMs: 60_000 } }))
    const statusOf = async (who: string, client: string): Promise<number> =>
      (await modern.request('tools/list', {}, { headers: { 'x-who': who, 'x-client': client } })).status

    expect(await statusOf('alice', 'desktop')).toBe(200)
    expect(await statusOf('alice', 'https://made-up.example/1')).toBe(429)
    expect(await statusOf('bob', 'desktop')).toBe(200)
  })

  it.each([
    ['of an unknown method', modernMessage('nothing/like/this'), {}],
    ['of an unknown legacy method', legacyMessage('nothing/like/this'), {}],
    ['with headers that contradict it', modernMessage('tools/list'), { 'mcp-method': 'prompts/list' }],
    ['whose version is in the headers only', legacyMessage('tools/list'), { 'mcp-protocol-version': '2026-07-28' }],
    ['of an unknown session', legacyMessage('ping'), { 'mcp-session-id': 'a'.repeat(32) }],
  ])('count requests %s, too', async (_what, message, headers) => {
    const app = await openApp({ rateLimit: { calls: 2, windowMs: 60_000 } })
    const client = connectTo(app, { era: message.params === undefined ? 'legacy' : 'modern' })
    const ask = () => client.send(message, headers)
    const [first, second] = [await ask(), await ask()]
    expect(first.json.error).toBeDefined()
    expect(second.json.error).toEqual(first.json.error)
    expect(first.status).not.toBe(429)
    expect(await ask()).toMatchObject({ status: 429, json: { id: 1 } })
    expect(await connectTo(app, { era: 'legacy' }).request('ping')).toMatchObject({ status: 429 })
    expect(app.mcp.metrics().inFlight.value).toBe(0)
  })

  it('do not count its subscriptions as in flight', async () => {
    const app = await openApp({ tools: [wait], limits: { maxInFlightPerCaller: 1, maxSubscriptionsPerPrincipal: 2 } })
    const messages: Message[] = []
    const onMessage = (message: unknown) => void messages.push(message as Message)
    const client = connectInMemory(app.mcp, { onMessage })
    const subscribe = (id: number) =>
      client.send({ ...modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }), id })
    const acknowledged = () => messages.filter(({ method }) => method?.endsWith('/acknowledged')).length
    subscribe(1)
    await until(() => acknowledged() === 1)
    subscribe(2)
    await until(() => acknowledged() === 2)
    client.send({ ...callWait(20), id: 3 })
    client.send({ ...callWait(1), id: 4 })
    await until(() => messages.some(({ id }) => id === 3))
    expect(messages.find(({ id }) => id === 3)).toHaveProperty('result')
    expect(messages.find(({ id }) => id === 4)).toHaveProperty('error.data.retryAfterMs')
    await client.close()
  })

  it('limit its requests in flight', async () => {
    const client = connectTo(await openApp({ tools: [wait], limits: { maxInFlightPerCaller: 1 } }))
    const answers = await Promise.all([client.send(callWait(100)), client.send(callWait(100))])
    expect(answers.map(({ status }) => status)).toEqual([200, 429])
    expect(await client.send(callWait(1))).toMatchObject({ status: 200 })
  })

  it('distinguish anonymous callers, also on connections', async () => {
    const app = await openApp({ webSocket: true, legacySse: true, rateLimit: { calls: 1, windowMs: 60_000 } })
    const askSocket = async (): Promise<unknown> => {
      const client = await openSocket(await listening, '/ws')
      const answer = await client.request(legacyMessage('ping'))
      client.socket.terminate()
      return answer
    }
    const listening = listen(app)
    expect(await askSocket()).toMatchObject({ result: {} })
    // The same address, over another transport.
    expect(await connectTo(app, { era: 'legacy' }).request('ping')).toMatchObject({ status: 429 })
    expect(await askSocket()).toMatchObject({ error: { code: -32600 } })
    const inProcess = connectInMemory(app.mcp, { onMessage: (message) => received.push(message) })
    const received: unknown[] = []
    inProcess.send(legacyMessage('ping'))
    await until(() => received.length > 0)
    expect(received).toEqual([expect.objectContaining({ result: {} })])
    await inProcess.close()
  })
})
