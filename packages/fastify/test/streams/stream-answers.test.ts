import { type Authenticator, ProtocolError, type RateLimiter } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  legacyMessage,
  messagesIn,
  openApp,
  openSession,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { delay } from '../../../../test/support/delay.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'

let answer: () => void = () => undefined

/** Does not return until it is released. */
const slow: TestTool = {
  name: 'slow',
  handler: () => new Promise((resolve) => (answer = () => resolve('late'))),
}

const quick: TestTool = { name: 'quick', handler: () => 'soon' }
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
    const client = connectTo(await openApp({ tools, streamAnswers }), { era: 'legacy' })
    const opened = await client.initialize('2025-11-25')
    expect(typeOf(opened)).toBe('application/json')
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const reply = await client.call('quick', {}, { id: 7, headers })
    expect([reply.status, typeOf(reply)]).toEqual([200, type])
    const messages = streamAnswers ? reply.messages : [reply.json]
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'soon' }] } }])
  }
})

test('a client that lost the connection before the result can reconnect for it', async () => {
  const app = await openApp({ tools, streamAnswers: true })
  const client = await openSession(app)
  const reader = await client.stream(legacyMessage('tools/call', toolCall('slow'), 8))
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
  const client = await openSession(app)
  const reader = await client.stream(legacyMessage('tools/call', toolCall('slow'), 8))
  expect(await reader.take(1)).toMatchObject([{ id: expect.any(String), data: '' }])
  answer()
  expect((await reader.message()).result.content).toEqual([{ type: 'text', text: 'late' }])
  client.close()
})

test('a result larger than the event limit arrives, also as the first event of its stream', async () => {
  const text = 'x'.repeat(100_000)
  const large: TestTool = { name: 'large', handler: () => text }
  const chatty: TestTool = {
    name: 'chatty',
    handler: (_args, context) => {
      context.progress(1, 2, text)
      return 'soon'
    },
  }
  const app = await openApp({ tools: [large, chatty], streamAnswers: true, limits: { maxStoredBytes: 50_000 } })
  const client = await openSession(app)
  const answered = await client.stream(legacyMessage('tools/call', toolCall('large'), 9))
  expect(messagesIn(await answered.rest())).toMatchObject([{ id: 9, result: { content: [{ text }] } }])
  const told = await client.stream(
    legacyMessage('tools/call', { ...toolCall('chatty'), _meta: { progressToken: 'p' } }, 10),
  )
  expect(messagesIn(await told.rest())).toMatchObject([{ params: { message: text } }, { id: 10 }])
  client.close()
})

test('a large result also arrives when a hook of the application delays the response', async () => {
  const text = 'x'.repeat(100_000)
  const large: TestTool = { name: 'large', handler: () => text }
  const app = await openApp({ tools: [large], streamAnswers: true, limits: { maxStoredBytes: 50_000 } })
  app.addHook('onSend', async (_request, _reply, payload) => {
    await delay(20)
    return payload
  })
  const client = await openSession(app)
  const answered = await client.stream(legacyMessage('tools/call', toolCall('large'), 11))
  expect(messagesIn(await answered.rest())).toMatchObject([{ id: 11, result: { content: [{ text }] } }])
  client.close()
})

test('streamAnswers applies to requests of sessions only', async () => {
  const app = await openApp({ tools, streamAnswers: true })
  const legacy = connectTo(app, { era: 'legacy' })

  const session = await openSession(app)
  const notified = await session.notify('notifications/initialized')
  expect([notified.status, notified.text]).toEqual([202, ''])
  expect(typeOf(await legacy.request('tools/list'))).toBe('application/json')
  expect(typeOf(await connectTo(app).request('tools/list'))).toBe('application/json')
  const onlyJson = await session.send(legacyMessage('tools/list'), { accept: 'application/json' })
  expect(typeOf(onlyJson)).toBe('application/json')
  const gone = await legacy.send(legacyMessage('tools/list'), { 'mcp-session-id': 'gone' })
  expect([gone.status, typeOf(gone)]).toEqual([404, 'application/json'])
  const rejected = await session.send(legacyMessage('tools/list'), { 'mcp-protocol-version': '1999-01-01' })
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
  const guarded: TestTool = { ...quick, name: 'guarded', authorize: { scopes: ['files:write'] } }
  const judged: TestTool = { ...quick, name: 'judged', authorize: { policy: () => delay(5).then(() => false) } }
  const full: TestTool = { ...quick, name: 'full', rateLimit: { calls: 1, windowMs: 1000 } }
  // Rejects after the handler has started, but before the next turn of the event loop.
  const reject = (): Promise<never> => Promise.reject(new ProtocolError('forbidden', 'Not for you'))
  const choosy: TestTool = { name: 'choosy', handler: reject }

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

    const session = await openSession(app)
    const rejected = await session.call(name, {}, { id: 7 })
    expect([rejected.status, typeOf(rejected)]).toEqual([status, 'application/json'])
    expect(rejected.headers).toMatchObject(headers)
    expect(rejected.json).toMatchObject({ id: 7, error: {} })
    expect(app.mcp.metrics().storedEventBytes?.value).toBe(0)
  })
})
