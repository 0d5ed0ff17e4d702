// Sessions in a shared store outlive their nodes, also when the new nodes have other tools.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, InProcessChangeBus } from '@toolwright/core'
import { InMemoryEventStore, InMemorySessionStore, type SessionRecord } from '@toolwright/sessions'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  closeApps,
  joinSession,
  legacyMessage,
  openApp,
  openSession,
  type TestClient,
  toolCall,
} from '../../../../test/support/client/index.js'
import { sessionOf } from '../support/sessions.js'

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

async function openInitialized(app: FastifyInstance): Promise<TestClient> {
  const { sessionId } = await openSession(app)
  const session = joinSession(app, sessionId, { 'mcp-protocol-version': '2025-11-25' })
  await session.notify('notifications/initialized')
  return session
}

let marks = 0

/** List changes that arrive on the GET stream of a session. A message of the test shows that no more will come. */
async function heard(app: FastifyInstance, session: TestClient): Promise<string[]> {
  const stream = await session.at(app).listen()
  const mark = `mark ${++marks}`
  const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: mark } }
  sessionOf(app, session.sessionId)?.channel.send(JSON.stringify(note))
  const methods: string[] = []
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const { method, params } = await stream.message()
    if (params?.data === mark) break
    methods.push(method)
  }
  stream.cut()
  return methods
    .filter((method) => method.endsWith('/list_changed'))
    .map((method) => method.replace('notifications/', ''))
    .toSorted()
}

describe('a session that continues on a node with other tools', () => {
  it.each([
    ['a call', legacyMessage('tools/call', toolCall('new'))],
    ['a ping', legacyMessage('ping')],
  ])('is notified once, at the first request at the other node: %s', async (_what, first) => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openInitialized(before)
    await before.close()
    const after = await openNode(shared, serving('new'))
    await session.at(after).send(first)
    await session.at(after).request('tools/list', {})
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
    expect(await heard(after, session)).toEqual([])
    await after.close()
    // The next node knows that the client was notified.
    const next = await openNode(shared, serving('new'))
    await session.at(next).request('ping')
    expect(await heard(next, session)).toEqual([])
  })

  it('is notified if a tool that was added at run time is missing at the other node', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openInitialized(before)
    before.mcp.catalog.addTool(tool('new'))
    await sleep(0)
    expect(await heard(before, session)).toEqual(['tools/list_changed'])
    await before.close()
    const after = await openNode(shared, serving('old'))
    await session.at(after).request('ping')
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
  })

  it('is notified if the first request at the other node opens the stream', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openInitialized(before)
    await before.close()
    const after = await openNode(shared, serving('old', 'new'))
    expect(await heard(after, session)).toEqual(['tools/list_changed'])
  })

  it('is notified by only one of several nodes', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openInitialized(before)
    await before.close()
    const after = await Promise.all([1, 2, 3].map(() => openNode(shared, serving('new'))))
    await Promise.all(after.map((node) => session.at(node).request('ping')))
    expect(await heard(after[0] as FastifyInstance, session)).toEqual(['tools/list_changed'])
  })

  it('is notified of each list that differs', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('same'))
    const session = await openInitialized(before)
    await before.close()
    const after = await openNode(shared, {
      onReady: ({ catalog }) => {
        catalog.addTool(tool('same'))
        catalog.addPrompt(prompt)
        catalog.addResource(resource)
      },
    })
    await session.at(after).request('ping')
    expect(await heard(after, session)).toEqual(['prompts/list_changed', 'resources/list_changed'])
  })

  it.each([
    ['its description', { description: 'Something else' }],
    ['its arguments', { inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }],
  ])('is notified of a tool that has changed: %s', async (_what, more) => {
    const shared = createShared()
    const before = await openNode(shared, { tools: [tool('same')] })
    const session = await openInitialized(before)
    await before.close()
    const after = await openNode(shared, { tools: [tool('same', more)] })
    await session.at(after).request('ping')
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
    const session = await openInitialized(before)
    await before.close()
    const after = await openNode(shared, isGuarded ? { ...guarded, tools: [tool('open'), secret] } : second)
    await session.at(after).request('ping')
    expect(await heard(after, session)).toEqual([])
  })

  it('is not notified if an older version of Toolwright saved it', async () => {
    const shared = createShared()
    const before = await openNode(shared, serving('old'))
    const session = await openInitialized(before)
    await before.close()
    const withoutLists = (record: SessionRecord): SessionRecord =>
      JSON.parse(JSON.stringify(record, (key, value: unknown) => (key === 'lists' ? undefined : value)))
    shared.sessionStore.update(session.sessionId, withoutLists)
    const after = await openNode(shared, serving('new'))
    await session.at(after).request('ping')
    expect(await heard(after, session)).toEqual([])
    await after.close()
    const next = await openNode(shared, serving('newer'))
    await session.at(next).request('ping')
    expect(await heard(next, session)).toEqual(['tools/list_changed'])
  })

  it('is notified of changes between the handshake and its first request', async () => {
    const app = await openNode(createShared(), serving('old'))
    const session = await openInitialized(app)
    app.mcp.catalog.addTool(tool('new'))
    await sleep(0)
    expect(await heard(app, session)).toEqual(['tools/list_changed'])
  })
})

describe('a node that starts', () => {
  class CountingBus extends InProcessChangeBus {
    readonly published: Change[] = []

    override publish(change: Change): void {
      // A new node asks the others for hidden features. Clients are not notified of this.
      if (change.kind !== 'enabled') this.published.push(change)
      super.publish(change)
    }
  }

  it('notifies clients of other nodes only of changes after onReady', async () => {
    const bus = new CountingBus()
    const shared = { ...createShared(), changeBus: bus }
    const other = await openNode(shared, serving('a'))
    const session = await openInitialized(other)
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
