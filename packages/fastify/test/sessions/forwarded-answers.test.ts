// Answers that arrive at another node than the one that sent the request, and must not or cannot be forwarded.
import { randomUUID } from 'node:crypto'
import { type Authenticator, type McpContext, Type } from '@toolwright/core'
import {
  closeApps,
  connectTo,
  joinSession,
  legacyMessage,
  messagesIn,
  openApp,
  type TestTool,
  toolCall,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { seeded } from '../support/random.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import { SlowEventStore } from '../support/slow-event-store.js'

const asks: TestTool = {
  name: 'asks',
  handler: async (_args, context: McpContext) => {
    const { action } = await context.elicit({ message: 'Sure?', schema: Type.Object({}) })
    return action
  },
}

afterEach(() => jest.restoreAllMocks())
afterEach(closeApps)

/** A store that cannot forward messages to other nodes while it is failing. */
class CutStore extends RemoteSessionStore {
  wrong: 'throws' | 'rejects' | 'hangs' | null = null

  override forward(sessionId: string, message: string): Promise<void> {
    if (this.wrong === 'throws') throw new Error('the store threw')
    if (this.wrong === 'rejects') return Promise.reject(new Error('the store rejected'))
    if (this.wrong === 'hangs') return new Promise(() => undefined)
    return super.forward(sessionId, message)
  }
}

/** Identifies the caller by a header, like a token. */
const authentication: Authenticator = {
  authenticate: ({ headers }) => ({ subject: String(headers['x-who']), roles: [], scopes: [], claims: {} }),
}

/** A call with a client request on the first node, and a function that answers on the second. */
async function ask(store: RemoteSessionStore) {
  const shared = { sessionStore: store, eventStore: new SlowEventStore(seeded(1)) }
  const options = { ...shared, tools: [asks], authentication, limits: { storeTimeoutMs: 100 } }
  const [a, b] = await Promise.all([openApp(options), openApp(options)])
  const opened = await connectTo(a, { era: 'legacy' }).initialize(
    '2025-11-25',
    { capabilities: { elicitation: {} } },
    { 'x-who': 'alice' },
  )
  const sessionId = String(opened.headers['mcp-session-id'])
  const client = joinSession(a, sessionId)
  const stream = await client.stream(legacyMessage('tools/call', toolCall('asks')), { 'x-who': 'alice' })
  const { id } = await stream.message()
  const answer = (action: string, who = 'alice', at = b) =>
    connectTo(at, { era: 'legacy' }).send(
      { jsonrpc: '2.0', id, result: { action } },
      { 'mcp-session-id': sessionId, 'x-who': who },
    )
  const result = async () => {
    const [message] = messagesIn(await stream.rest())
    client.close()
    return message.result.content
  }
  return { a, b, sessionId, answer, result }
}

it.each(['throws', 'rejects', 'hangs'] as const)(
  'when a store %s, the client gets a retryable error, and the retry is accepted',
  async (wrong) => {
    const store = new CutStore()
    const { a, answer, result } = await ask(store)
    store.wrong = wrong

    const rejected = await answer('decline')

    expect([rejected.status, rejected.headers['retry-after'], rejected.json.error.code]).toStrictEqual([
      503,
      '1',
      -32603,
    ])
    expect(rejected.text).not.toContain('the store')
    expect(a.mcp.metrics().pendingClientRequests).toBe(1)
    store.wrong = null
    expect((await answer('decline')).status).toBe(202)
    expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
  },
)

describe('a batch with answers that cannot be forwarded', () => {
  const asksModel: TestTool = {
    name: 'asks',
    handler: async (_args, context: McpContext) => (await context.sample({ messages: [], maxTokens: 1 })).model,
  }
  const answered = { role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }

  async function askModel(store: CutStore) {
    const shared = { sessionStore: store, eventStore: new SlowEventStore(seeded(1)), tools: [asksModel] }
    const [a, b] = await Promise.all([openApp(shared), openApp(shared)])
    const opened = await connectTo(a, { era: 'legacy' }).initialize('2025-03-26', { capabilities: { sampling: {} } })
    const sessionId = String(opened.headers['mcp-session-id'])
    const client = joinSession(a, sessionId)
    const stream = await client.stream(legacyMessage('tools/call', toolCall('asks')))
    const { id } = await stream.message()
    const send = (...others: readonly object[]) =>
      connectTo(b, { era: 'legacy' }).send([{ jsonrpc: '2.0', id, result: answered }, ...others], {
        'mcp-session-id': sessionId,
      })
    const result = async () => {
      const [message] = messagesIn(await stream.rest())
      client.close()
      return message.result.content
    }
    return { send, result }
  }

  it('is rejected as a whole if it contains only answers, and accepted when it is sent again', async () => {
    const store = new CutStore()
    const { send, result } = await askModel(store)
    store.wrong = 'rejects'

    const rejected = await send()

    expect([rejected.status, rejected.headers['retry-after'], rejected.json.error.code]).toStrictEqual([
      503,
      '1',
      -32603,
    ])
    store.wrong = null
    expect((await send()).status).toBe(202)
    expect(await result()).toStrictEqual([{ type: 'text', text: 'm' }])
  })

  it('gets only the results of its requests, and the answers can be sent again', async () => {
    const store = new CutStore()
    const { send, result } = await askModel(store)
    store.wrong = 'rejects'

    const reply = await send(legacyMessage('ping', {}, 'p'))

    expect([reply.status, reply.json]).toStrictEqual([200, [{ jsonrpc: '2.0', id: 'p', result: {} }]])
    store.wrong = null
    await send()
    expect(await result()).toStrictEqual([{ type: 'text', text: 'm' }])
  })
})

it('an answer of another caller who knows the session is rejected', async () => {
  const { answer, result } = await ask(new RemoteSessionStore())

  expect((await answer('accept', 'mallory')).status).toBe(404)

  await answer('decline')
  expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
})

it('a client that floods a node with large answers does not block other answers', async () => {
  const { b, sessionId, answer, result } = await ask(new RemoteSessionStore())
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now())
  const [text, own] = ['x'.repeat(3_500_000), { 'mcp-session-id': sessionId, 'x-who': 'alice' }]
  const flood = () => connectTo(b, { era: 'legacy' }).send({ jsonrpc: '2.0', id: randomUUID(), result: { text } }, own)

  const answers = [await flood(), await flood(), await flood()]

  expect(answers.map(({ status }) => status)).toStrictEqual([202, 202, 503])
  expect(answers[2]?.headers['retry-after']).toBe('1')
  expect((await answer('decline')).status).toBe(202)
  expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
  clock.mockReturnValue(performance.now() + 1001)
  expect((await flood()).status).toBe(202)
})

it('without forwarding in the store, only the node that sent a request accepts the answer', async () => {
  const { a, answer, result } = await ask(Object.assign(new RemoteSessionStore(), { forward: undefined }))

  expect((await answer('accept')).status).toBe(202)

  expect(a.mcp.metrics().pendingClientRequests).toBe(1)
  await answer('decline', 'alice', a)
  expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
})

it('invalid messages, and messages of other versions, that a store delivers have no effect', async () => {
  const store = new RemoteSessionStore()
  const { sessionId, answer, result } = await ask(store)

  const later = '{"jsonrpc":"2.0","method":"notifications/later","params":{"requestId":1}}'
  for (const text of ['{', 'null', '[]', '{"jsonrpc":"2.0","id":1,"method":"ping"}', later])
    store.kept.forward(sessionId, text)

  await answer('decline')
  expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
})

it('a client that floods a node with batches of short answers does not block other answers', async () => {
  const store = new RemoteSessionStore()
  const { b, answer, result } = await ask(store)
  const clientOfB = connectTo(b, { era: 'legacy' })
  jest.spyOn(performance, 'now').mockReturnValue(performance.now())
  let brought = 0
  store.attach({ isInUse: () => false, ended: () => undefined, received: (_id, text) => void (brought += text.length) })
  const opened = await clientOfB.initialize('2025-03-26', {}, { 'x-who': 'mallory' })
  const own = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'x-who': 'mallory' }
  const result16k = { text: 'x'.repeat(16_000) }
  const flood = () =>
    clientOfB.send(
      Array.from({ length: 100 }, () => unasked(result16k)),
      own,
    )

  const answers = [await flood(), await flood()]

  expect(answers.map(({ status }) => status)).toStrictEqual([202, 503])
  expect(brought).toBeLessThan(2 * 1024 * 1024)
  expect((await answer('decline')).status).toBe(202)
  expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
})

describe('a flood of short answers in many sessions', () => {
  function flooded(store: RemoteSessionStore, b: Awaited<ReturnType<typeof openApp>>) {
    const clientOfB = connectTo(b, { era: 'legacy' })
    jest.spyOn(performance, 'now').mockReturnValue(performance.now())
    const brought = { length: 0 }
    const received = (_id: string, text: string) => void (brought.length += text.length)
    store.attach({ isInUse: () => false, ended: () => undefined, received })
    const flood = async (who: string) => {
      const opened = await clientOfB.initialize('2025-03-26', {}, { 'x-who': who })
      const own = { 'mcp-session-id': String(opened.headers['mcp-session-id']), 'x-who': who }
      const batch = Array.from({ length: 100 }, () => unasked({ text: 'x'.repeat(16_000) }))
      return (await clientOfB.send(batch, own)).status
    }
    return { brought, flood }
  }

  it('does not block other answers', async () => {
    const store = new RemoteSessionStore()
    const { b, answer, result } = await ask(store)
    const { flood } = flooded(store, b)

    const statuses: number[] = []
    // oxlint-disable-next-line no-await-in-loop
    for (let session = 1; session <= 6; session++) statuses.push(await flood('mallory'))

    expect(statuses).toStrictEqual([202, 202, 503, 503, 503, 503])
    expect((await answer('decline')).status).toBe(202)
    expect(await result()).toStrictEqual([{ type: 'text', text: 'decline' }])
  })

  it('does not cut off other nodes, regardless of the sender', async () => {
    const store = new RemoteSessionStore()
    const b = await openApp({ sessionStore: store, authentication })
    const { brought, flood } = flooded(store, b)

    // oxlint-disable-next-line no-await-in-loop
    for (const who of ['a', 'b', 'a', 'b', 'c']) await flood(who)

    expect(await flood('d')).toBe(503)
    expect(brought.length).toBeLessThanOrEqual(8 * 1024 * 1024)
  })
})

/** An answer without a request. */
function unasked(result: object): object {
  return { jsonrpc: '2.0', id: randomUUID(), result }
}

describe('a GET stream that is opened at another node', () => {
  const uri = 'notes://one'

  /** A session with a stream at the first of two nodes. */
  async function listenAtA(storeTimeoutMs: number) {
    const store = new CutStore()
    const shared = { sessionStore: store, eventStore: new SlowEventStore(seeded(1)), limits: { storeTimeoutMs } }
    const [a, b] = await Promise.all([openApp(shared), openApp(shared)])
    const clientOfA = connectTo(a, { era: 'legacy' })
    for (const { mcp } of [a, b]) mcp.catalog.addResource({ uri, name: 'one', handler: () => 'one' })
    const opened = await clientOfA.initialize('2025-11-25')
    const sessionId = String(opened.headers['mcp-session-id'])
    const [atA, atB] = [joinSession(a, sessionId), joinSession(b, sessionId)]
    const headers = { 'mcp-session-id': sessionId }
    await clientOfA.notify('notifications/initialized', undefined, headers)
    expect((await clientOfA.request('resources/subscribe', { uri }, { headers })).status).toBe(200)
    const first = await atA.listen()
    const close = () => [atA, atB].forEach((client) => client.close())
    return { store, b, atB, sessionId, first, close }
  }

  it('ends at the first node, although an earlier attempt could not reach that node', async () => {
    const { store, atB, first, close } = await listenAtA(1000)
    store.wrong = 'rejects'
    const rejected = await atB.listen()
    store.wrong = null

    const second = await atB.listen()

    expect([rejected.status, second.status]).toStrictEqual([503, 200])
    expect(messagesIn(await first.rest())).toStrictEqual([])
    second.cut()
    close()
  })

  it('belongs to the later of two connections that wait for an unreachable node', async () => {
    const { store, b, atB, sessionId, close } = await listenAtA(300)
    await store.update(sessionId, (session) => ({ ...session, listensAt: 'gone' }))
    const forward = jest.spyOn(store, 'forward')
    const opening = atB.listen()
    await until(() => forward.mock.calls.length > 0)

    const later = await atB.listen()
    const earlier = await opening

    expect(messagesIn(await earlier.rest())).toStrictEqual([])
    b.mcp.changes.resourceUpdated(uri)
    expect((await later.message()).params).toStrictEqual({ uri })
    later.cut()
    close()
  })
})
