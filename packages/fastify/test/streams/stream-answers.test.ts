import { type Authenticator, ProtocolError, type RateLimiter } from '@toolwright/core'
import { messagesIn, openSession } from '../support/events.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import {
  call,
  closeApps,
  delay,
  eventsOf,
  initialize,
  legacy,
  listen,
  modern,
  openApp,
  post,
  postModern,
  type WireTool,
} from '../support/wire.js'

let answer: () => void = () => undefined

/** Does not return until it is released. */
const slow: WireTool = {
  name: 'slow',
  handler: () => new Promise((resolve) => (answer = () => resolve('late'))),
}

const quick: WireTool = { name: 'quick', handler: () => 'soon' }
const tools = [slow, quick]

afterEach(closeApps)

function typeOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): unknown {
  return String(headers['content-type']).split(';')[0]
}

test('an immediate result is JSON, unless streamAnswers is set', async () => {
  for (const [streamAnswers, type] of [
    [false, 'application/json'],
    [true, 'text/event-stream'],
  ] as const) {
    const app = await openApp({ tools, streamAnswers })
    const opened = await post(app, initialize('2025-11-25'))
    expect(typeOf(opened)).toBe('application/json')
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const reply = await post(app, legacy('tools/call', call('quick'), 7), headers)
    expect([reply.status, typeOf(reply)]).toEqual([200, type])
    const messages = streamAnswers ? eventsOf(reply.text) : [reply.json]
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'soon' }] } }])
  }
})

test('a client that lost the connection before the result can reconnect for it', async () => {
  const app = await openApp({ tools, streamAnswers: true })
  const client = await openSession(app, await listen(app))
  const reader = await client.post(legacy('tools/call', call('slow'), 8))
  const [priming] = await reader.take(1)
  expect(priming).toMatchObject({ id: expect.any(String), data: '' })
  reader.cut()
  answer()
  const resumed = await client.resume(priming?.id)
  expect(await resumed.message()).toEqual({
    jsonrpc: '2.0',
    id: 8,
    result: { content: [{ type: 'text', text: 'late' }] },
  })
  client.close()
})

test('a client can also reconnect when the session is loaded from a shared store', async () => {
  const app = await openApp({ tools, streamAnswers: true, sessionStore: new RemoteSessionStore() })
  const client = await openSession(app, await listen(app))
  const reader = await client.post(legacy('tools/call', call('slow'), 8))
  expect(await reader.take(1)).toMatchObject([{ id: expect.any(String), data: '' }])
  answer()
  expect((await reader.message()).result.content).toEqual([{ type: 'text', text: 'late' }])
  client.close()
})

test('a result larger than the event limit arrives, also as the first event of its stream', async () => {
  const text = 'x'.repeat(100_000)
  const large: WireTool = { name: 'large', handler: () => text }
  const chatty: WireTool = {
    name: 'chatty',
    handler: (_args, context) => {
      context.progress(1, 2, text)
      return 'soon'
    },
  }
  const app = await openApp({ tools: [large, chatty], streamAnswers: true, limits: { maxStoredBytes: 50_000 } })
  const client = await openSession(app, await listen(app))
  const answered = await client.post(legacy('tools/call', call('large'), 9))
  expect(messagesIn(await answered.rest())).toMatchObject([{ id: 9, result: { content: [{ text }] } }])
  const told = await client.post(legacy('tools/call', { ...call('chatty'), _meta: { progressToken: 'p' } }, 10))
  expect(messagesIn(await told.rest())).toMatchObject([{ params: { message: text } }, { id: 10 }])
  client.close()
})

test('a large result also arrives when a hook of the application delays the response', async () => {
  const text = 'x'.repeat(100_000)
  const large: WireTool = { name: 'large', handler: () => text }
  const app = await openApp({ tools: [large], streamAnswers: true, limits: { maxStoredBytes: 50_000 } })
  app.addHook('onSend', async (_request, _reply, payload) => {
    await delay(20)
    return payload
  })
  const client = await openSession(app, await listen(app))
  const answered = await client.post(legacy('tools/call', call('large'), 11))
  expect(messagesIn(await answered.rest())).toMatchObject([{ id: 11, result: { content: [{ text }] } }])
  client.close()
})

test('streamAnswers applies to requests of sessions only', async () => {
  const app = await openApp({ tools, streamAnswers: true })
  const opened = await post(app, initialize('2025-11-25'))
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
  const notified = await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  expect([notified.status, notified.text]).toEqual([202, ''])
  expect(typeOf(await post(app, legacy('tools/list')))).toBe('application/json')
  expect(typeOf(await postModern(app, modern('tools/list')))).toBe('application/json')
  const onlyJson = await post(app, legacy('tools/list'), { ...headers, accept: 'application/json' })
  expect(typeOf(onlyJson)).toBe('application/json')
  const gone = await post(app, legacy('tools/list'), { 'mcp-session-id': 'gone' })
  expect([gone.status, typeOf(gone)]).toEqual([404, 'application/json'])
  const rejected = await post(app, legacy('tools/list'), { ...headers, 'mcp-protocol-version': '1999-01-01' })
  expect([rejected.status, typeOf(rejected)]).toEqual([400, 'application/json'])
})

describe('a rejection keeps its status and its headers, and is not saved as an event', () => {
  const authentication: Authenticator = {
    authenticate: async () => ({ subject: 'alice', roles: [], scopes: [], claims: {} }),
  }
  // The result comes after the next turn of the event loop, like that of a remote store.
  const rateLimiter: RateLimiter = {
    take: async (key) => {
      await delay(5)
      return key.includes('full') ? 2000 : 0
    },
  }
  const guarded: WireTool = { ...quick, name: 'guarded', authorize: { scopes: ['files:write'] } }
  const judged: WireTool = { ...quick, name: 'judged', authorize: { policy: () => delay(5).then(() => false) } }
  const full: WireTool = { ...quick, name: 'full', rateLimit: { calls: 1, windowMs: 1000 } }
  // After its handler has started, but before the next turn of the event loop.
  const reject = (): Promise<never> => Promise.reject(new ProtocolError('forbidden', 'Not for you'))
  const choosy: WireTool = { name: 'choosy', handler: reject }

  test.each([
    ['guarded', 403, { 'www-authenticate': expect.stringContaining('scope="files:write"') }],
    ['judged', 403, {}],
    ['full', 429, { 'retry-after': '2' }],
    ['choosy', 403, {}],
  ])('of the tool %s: %d', async (name, status, headers) => {
    const app = await openApp({
      tools: [guarded, judged, full, choosy],
      streamAnswers: true,
      authentication,
      rateLimiter,
      rateLimit: { calls: 1000, windowMs: 1000 },
    })
    const opened = await post(app, initialize('2025-11-25'))
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const rejected = await post(app, legacy('tools/call', call(name), 7), session)
    expect([rejected.status, typeOf(rejected)]).toEqual([status, 'application/json'])
    expect(rejected.headers).toMatchObject(headers)
    expect(rejected.json).toMatchObject({ id: 7, error: {} })
    expect(app.mcp.metrics().storedEventBytes?.value).toBe(0)
  })
})
