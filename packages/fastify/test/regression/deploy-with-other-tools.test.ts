// Sessions in a shared store outlive their nodes, also when the new nodes have other tools.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, InMemorySessionStore, InProcessChangeBus, type SessionRecord } from '@toolwright/core'
import { InMemoryEventStore } from '@toolwright/core/store'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  call,
  closeApps,
  initialize,
  legacy,
  listen,
  openApp,
  post,
  sessionOf,
} from '../support/wire.js'

afterEach(closeApps)

const tool = (name: string, more: object = {}) => ({ name, handler: () => name, ...more })
const prompt = { name: 'greet', handler: () => 'Hello' }
const resource = { uri: 'notes://today', name: 'today', handler: () => 'today' }

/** The stores and the bus that the nodes share. */
function createShared() {
  const sessionStore = new InMemorySessionStore({ maxSessions: 100 })
  const limits = {
    maxStoredEvents: 100,
    maxStoredBytes: 100_000,
    maxTotalStoredBytes: 1_000_000,
    storedEventMs: 60_000,
  }
  return { sessionStore, eventStore: new InMemoryEventStore(limits), changeBus: new InProcessChangeBus() }
}

type Shared = ReturnType<typeof createShared>

/** A node with features from `onReady`, or from `tools`. */
async function openNode(shared: Shared, options: AppOptions = {}): Promise<FastifyInstance> {
  return openApp({ ...shared, ...options })
}

function serving(...names: string[]): Pick<AppOptions, 'onReady'> {
  return { onReady: ({ catalog }) => names.forEach((name) => catalog.addTool(tool(name))) }
}

type SessionHeaders = Readonly<Record<string, string>>

async function openSession(app: FastifyInstance): Promise<SessionHeaders> {
  const { headers } = await post(app, initialize('2025-11-25'))
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
  await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  return session
}

let marks = 0

/** List changes that arrive on the GET stream of a session. A message of the test shows that no more will come. */
async function heard(app: FastifyInstance, session: SessionHeaders): Promise<string[]> {
  const port = app.server.listening ? (app.server.address() as { port: number }).port : await listen(app)
  const headers = { ...session, accept: 'text/event-stream' }
  const stop = new AbortController()
  const { body } = await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: stop.signal })
  const mark = `mark ${++marks}`
  const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: mark } }
  sessionOf(app, String(session['mcp-session-id']))?.channel.send(JSON.stringify(note))
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (!text.includes(mark)) {
    // oxlint-disable-next-line no-await-in-loop
    const { value } = await reader.read()
    text += Buffer.from(value ?? []).toString()
  }
  stop.abort()
  return [...text.matchAll(/"method":"notifications\/([a-z_]+\/list_changed)"/g)]
    .map(([, name]) => String(name))
    .toSorted()
}

describe('a session that continues on a node with other tools', () => {
  it.each([
    ['a call', legacy('tools/call', call('new'))],
    ['a ping', legacy('ping')],
  ])('is notified once, at its first request there: %s', async (_what, first) => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openSession(before)
    await before.close()
    const after = await openNode(shared, serving('new'))
    await post(after, first, session)
    await post(after, legacy('tools/list', {}), session)
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
    expect(await heard(after, session)).toEqual([])
    await after.close()
    // The next node knows that the client was notified.
    const next = await openNode(shared, serving('new'))
    await post(next, legacy('ping'), session)
    expect(await heard(next, session)).toEqual([])
  })

  it('is notified if its first request there is for the stream', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openSession(before)
    await before.close()
    const after = await openNode(shared, serving('old', 'new'))
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
  })

  it('is notified by only one of several nodes', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openSession(before)
    await before.close()
    const after = await Promise.all([1, 2, 3].map(() => openNode(shared, serving('new'))))
    await Promise.all(after.map((node) => post(node, legacy('ping'), session)))
    expect(await heard(after[0] as FastifyInstance, session)).toEqual(['tools/list_changed'])
  })

  it('is notified of each list that differs', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('same'))
    const session = await openSession(before)
    await before.close()
    const after = await openNode(shared, {
      onReady: ({ catalog }) => {
        catalog.addTool(tool('same'))
        catalog.addPrompt(prompt)
        catalog.addResource(resource)
      },
    })
    await post(after, legacy('ping'), session)
    expect(await heard(after, session)).toEqual(['prompts/list_changed', 'resources/list_changed'])
  })

  it.each([
    ['its description', { description: 'Something else' }],
    ['its arguments', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }],
  ])('is notified of a tool that has changed: %s', async (_what, more) => {
    const shared = createShared()
    const before = await openNode(shared, { tools: [tool('same')] })
    const session = await openSession(before)
    await before.close()
    const after = await openNode(shared, { tools: [tool('same', more)] })
    await post(after, legacy('ping'), session)
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
  })

  it.each([
    ['nothing changed', serving('a', 'b'), serving('b', 'a')],
    ['only hidden features changed', {}, {}],
  ])('is not notified if %s', async (_what, first, second) => {
    const shared = createShared()
    const guarded = { authorization: { default: 'anonymous' } } as const
    const secret = tool('secret', { authorize: { roles: ['admin'] } })
    const isGuarded = first.onReady === undefined
    const before = await openNode(shared, isGuarded ? { ...guarded, tools: [tool('open')] } : first)
    const session = await openSession(before)
    await before.close()
    const after = await openNode(shared, isGuarded ? { ...guarded, tools: [tool('open'), secret] } : second)
    await post(after, legacy('ping'), session)
    expect(await heard(after, session)).toEqual([])
  })

  it('is not notified if an older version saved it', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openSession(before)
    await before.close()
    const withoutLists = (record: SessionRecord): SessionRecord =>
      JSON.parse(JSON.stringify(record, (key, value: unknown) => (key === 'lists' ? undefined : value)))
    shared.sessionStore.update(session['mcp-session-id'] as string, withoutLists)
    const after = await openNode(shared, serving('new'))
    await post(after, legacy('ping'), session)
    expect(await heard(after, session)).toEqual([])
    await after.close()
    const next = await openNode(shared, serving('newer'))
    await post(next, legacy('ping'), session)
    expect(await heard(next, session)).toEqual(['tools/list_changed'])
  })

  it('is notified of changes between the handshake and its first request', async () => {
    const app = await openNode(createShared(), serving('old'))
    const { headers } = await post(app, initialize('2025-11-25'))
    const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
    await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    app.mcp.catalog.addTool(tool('new'))
    await sleep(0)
    expect(await heard(app, session)).toEqual(['tools/list_changed'])
  })
})

describe('a node that starts', () => {
  class CountingBus extends InProcessChangeBus {
    readonly published: Change[] = []

    override publish(change: Change): void {
      this.published.push(change)
      super.publish(change)
    }
  }

  it('notifies clients of other nodes only of changes after onReady', async () => {
    const bus = new CountingBus()
    const shared = { ...createShared(), changeBus: bus }
    const other = await openNode(shared, serving('a'))
    const session = await openSession(other)
    const app = await openNode(shared, {
      onReady: async ({ catalog }) => {
        catalog.addTool(tool('a'))
        await sleep(1)
        catalog.addTool(tool('b'))
        catalog.addPrompt(prompt)
        catalog.addResource(resource)
        await sleep(1)
        catalog.removeTool('b')
        catalog.removePrompt('greet')
        catalog.removeResource('notes://today')
      },
    })
    await sleep(1)
    expect(bus.published).toEqual([])

    app.mcp.catalog.addTool(tool('late'))
    await sleep(1)
    expect(bus.published).toEqual([{ kind: 'tools' }])
    expect(await heard(other, session)).toEqual(['tools/list_changed'])
  })
})
