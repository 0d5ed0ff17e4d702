// Two nodes with one session store: a client can use either, and the other when one has stopped.

import { setTimeout as delay } from 'node:timers/promises'
import { InProcessChangeBus } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import type { SessionRecord } from '@toolwright/sessions'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  legacyMessage,
  messagesIn,
  openApp,
  openSession,
  type TestClient,
  type TestTool,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { seeded } from '../support/random.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import { sessionsOf } from '../support/sessions.js'
import { SlowEventStore } from '../support/slow-event-store.js'
import { createWaitingTool } from '../support/waiting-tool.js'

const whoami: TestTool = {
  name: 'whoami',
  handler: (_args, { protocolVersion, clientInfo, clientCapabilities }) => ({
    protocolVersion,
    clientInfo,
    clientCapabilities,
  }),
}

const logger: TestTool = {
  name: 'log',
  handler: (_args, context) => {
    context.sendLogMessage('debug', 'whispered')
    return 'logged'
  },
}

interface Nodes {
  readonly store: RemoteSessionStore
  readonly a: FastifyInstance
  readonly b: FastifyInstance
  /** The client of the session, at node a. */
  readonly session: TestClient
}

/** Two nodes, and a session that was opened on the first. */
async function openNodes(
  options: Partial<ServerOptions> & { readonly tools?: readonly TestTool[] } = {},
): Promise<Nodes> {
  const store = new RemoteSessionStore()
  const shared = { sessionStore: store, eventStore: new SlowEventStore(seeded(1)), changeBus: new InProcessChangeBus() }
  const [a, b] = await Promise.all([openApp({ ...shared, ...options }), openApp({ ...shared, ...options })])
  for (const app of [a, b]) {
    app.mcp.catalog.addResource({ uri: 'notes://one', name: 'one', handler: () => 'one' })
  }
  const session = await openSession(a, { version: '2025-06-18', params: { capabilities: { sampling: {} } } })
  return { store, a, b, session }
}

afterEach(closeApps)

it('a session continues on another node, with all data of its handshake', async () => {
  const { b, session } = await openNodes({ tools: [whoami] })

  const reply = await session.at(b).call('whoami')

  expect(JSON.parse(reply.json.result.content[0].text)).toStrictEqual({
    protocolVersion: '2025-06-18',
    clientInfo: { name: 'raw', version: '0.0.0' },
    clientCapabilities: { sampling: {} },
  })
})

it('a setting made on one node applies on the other', async () => {
  const { b, session } = await openNodes({ tools: [logger] })
  const atB = session.at(b)
  await atB.request('ping')
  await session.request('logging/setLevel', { level: 'debug' })

  const reply = await atB.call('log')

  expect(reply.text).toContain('whispered')
})

it('a client that subscribed on one node is notified on the other, of changes on the first', async () => {
  const { a, b, session } = await openNodes()
  await session.notify('notifications/initialized')
  await session.request('resources/subscribe', { uri: 'notes://one' })
  // From here on, the client does not use the first node.
  sessionsOf(a).close()
  const client = session.at(b)
  const stream = await client.listen()

  a.mcp.changes.resourceUpdated('notes://other')
  a.mcp.changes.resourceUpdated('notes://one')

  expect(await stream.message()).toStrictEqual({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'notes://one' },
  })
  client.close()
})

it('DELETE on one node ends the session on both, with its calls and streams', async () => {
  const { tool, seen, release } = createWaitingTool()
  const { a, b, session } = await openNodes({ tools: [tool] })
  const stream = await session.listen()
  const calling = session.call('wait')
  await until(() => sessionsOf(a).held.isInUse(session.sessionId))
  await delay(5)

  const { status } = await session.at(b).end()

  expect(status).toBe(200)
  expect(await stream.rest()).toStrictEqual([])
  expect([(await calling).status, seen.aborted]).toStrictEqual([404, 1])
  const statuses = await Promise.all([a, b].map(async (app) => (await session.at(app).request('ping')).status))
  expect(statuses).toStrictEqual([404, 404])
  release()
  session.close()
})

it('the stream of a call on one node is resumed on the other', async () => {
  const { tool, release } = createWaitingTool()
  const { a, b, session } = await openNodes({ tools: [tool] })
  const message = legacyMessage('tools/call', { name: 'wait', _meta: { progressToken: 't' } })
  const [atA, atB] = [session.at(a), session.at(b)]
  const first = await atA.stream(message)
  const [progress] = await first.take(1)
  first.cut()

  const second = await atB.resume(progress?.id)
  release()

  const rest = messagesIn(await second.rest())
  expect(rest.map(({ params, result }) => params?.progress ?? result.content[0].text)).toStrictEqual([2, 'done'])
  for (const client of [atA, atB]) client.close()
})

it('the GET stream is resumed on the other node after its end on the first, also without an id', async () => {
  const { a, b, session } = await openNodes()
  await session.notify('notifications/initialized')
  const [atA, atB] = [session.at(a), session.at(b)]
  const first = await atA.listen()
  a.mcp.changes.toolsChanged()
  expect(await first.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  first.cut()
  await until(() => !sessionsOf(a).held.isInUse(session.sessionId))
  await delay(20)
  a.mcp.changes.promptsChanged()

  const second = await atB.listen()

  expect(await second.message()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  for (const client of [atA, atB]) client.close()
})

it('a call in flight keeps its session in the store, regardless of its duration', async () => {
  const { tool, release } = createWaitingTool()
  const { b, store, session } = await openNodes({
    tools: [tool],
    limits: { sessionIdleMs: 150 },
  })
  const calling = session.call('wait')
  await delay(400)

  expect((await session.at(b).request('ping', {}, { id: 2 })).status).toBe(200)
  release()
  expect((await calling).status).toBe(200)
  await delay(200)
  expect(store.kept.get(session.sessionId)).toBeUndefined()
})

it('a node with too many sessions releases the least recently used one, and can load it again', async () => {
  const { b, session } = await openNodes({ limits: { maxSessions: 2 } })
  const others = await Promise.all([1, 2, 3].map(() => openSession(b)))
  const all = [session.at(b), ...others]

  const statuses: number[] = []
  for (const client of [...all, ...all]) statuses.push((await client.request('ping')).status)

  expect([...new Set(statuses), sessionsOf(b).held.size]).toStrictEqual([200, 2])
})

it('a server that closes leaves the sessions to other nodes', async () => {
  const { a, b, session } = await openNodes()
  await session.request('ping')

  await a.close()

  expect((await session.at(b).request('ping')).status).toBe(200)
})

/** Returns sessions as earlier versions stored them: without hidden features, and without an owner. */
class OldRecords extends RemoteSessionStore {
  override async get(sessionId: string): Promise<SessionRecord | undefined> {
    const record = await super.get(sessionId)
    if (record === undefined) return undefined
    const { mutedUris: _, caller: _caller, ...old } = record
    return old as SessionRecord
  }
}

it('a session that an earlier version of Toolwright stored continues', async () => {
  const sessionStore = new OldRecords()
  const app = await openApp({ sessionStore, tools: [whoami] })
  const session = await openSession(app, { version: '2025-06-18' })

  const reply = await session.call('whoami')

  expect(JSON.parse(reply.json.result.content[0].text)).toMatchObject({ protocolVersion: '2025-06-18' })
})
