// Two nodes with one session store: a client can use either, and the other when one has stopped.
import { setTimeout as delay } from 'node:timers/promises'
import { InProcessChangeBus, type ServerOptions, type SessionRecord } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import { messagesIn, SessionClient } from '../support/events.js'
import { seeded } from '../support/random.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import { SlowEventStore } from '../support/slow-event-store.js'
import { createWaitingTool } from '../support/waiting-tool.js'
import {
  call,
  closeApps,
  initialize,
  legacy,
  listen,
  openApp,
  post,
  sessionsOf,
  until,
  type WireTool,
} from '../support/wire.js'

const whoami: WireTool = {
  name: 'whoami',
  handler: (_args, { protocolVersion, clientInfo, clientCapabilities }) => ({
    protocolVersion,
    clientInfo,
    clientCapabilities,
  }),
}

const logger: WireTool = {
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
  readonly headers: { readonly 'mcp-session-id': string }
}

/** Two nodes, and a session that was opened on the first. */
async function openNodes(
  options: Partial<ServerOptions> & { readonly tools?: readonly WireTool[] } = {},
): Promise<Nodes> {
  const store = new RemoteSessionStore()
  const shared = { sessionStore: store, eventStore: new SlowEventStore(seeded(1)), changeBus: new InProcessChangeBus() }
  const [a, b] = await Promise.all([openApp({ ...shared, ...options }), openApp({ ...shared, ...options })])
  for (const app of [a, b]) {
    app.mcp.catalog.addResource({ uri: 'notes://one', name: 'one', handler: () => 'one' })
  }
  const opened = await post(a, initialize('2025-06-18', { capabilities: { sampling: {} } }))
  return { store, a, b, headers: { 'mcp-session-id': String(opened.headers['mcp-session-id']) } }
}

const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

afterEach(closeApps)

it('a session continues on another node, with all data of its handshake', async () => {
  const { b, headers } = await openNodes({ tools: [whoami] })

  const reply = await post(b, legacy('tools/call', call('whoami')), headers)

  expect(JSON.parse(reply.json.result.content[0].text)).toStrictEqual({
    protocolVersion: '2025-06-18',
    clientInfo: { name: 'raw', version: '0.0.0' },
    clientCapabilities: { sampling: {} },
  })
})

it('a setting made on one node applies on the other', async () => {
  const { a, b, headers } = await openNodes({ tools: [logger] })
  await post(b, legacy('ping'), headers)
  await post(a, legacy('logging/setLevel', { level: 'debug' }), headers)

  const reply = await post(b, legacy('tools/call', call('log')), headers)

  expect(reply.text).toContain('whispered')
})

it('a client that subscribed on one node is notified on the other, of changes on the first', async () => {
  const { a, b, headers } = await openNodes()
  await post(a, initialized, headers)
  await post(a, legacy('resources/subscribe', { uri: 'notes://one' }), headers)
  // From here on, the client does not use the first node.
  sessionsOf(a).close()
  const client = new SessionClient(await listen(b), headers['mcp-session-id'])
  const stream = await client.get()

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
  const { a, b, headers } = await openNodes({ tools: [tool] })
  const client = new SessionClient(await listen(a), headers['mcp-session-id'])
  const stream = await client.get()
  const calling = post(a, legacy('tools/call', call('wait')), headers)
  await until(() => sessionsOf(a).isInUse(headers['mcp-session-id']))
  await delay(5)

  const deleted = await b.inject({ method: 'DELETE', url: '/mcp', headers })

  expect(deleted.statusCode).toBe(200)
  expect(await stream.rest()).toStrictEqual([])
  expect([(await calling).status, seen.aborted]).toStrictEqual([404, 1])
  const statuses = await Promise.all([a, b].map(async (app) => (await post(app, legacy('ping'), headers)).status))
  expect(statuses).toStrictEqual([404, 404])
  release()
  client.close()
})

it('the stream of a call on one node is resumed on the other', async () => {
  const { tool, release } = createWaitingTool()
  const { a, b, headers } = await openNodes({ tools: [tool] })
  const [atA, atB] = await Promise.all([listen(a), listen(b)])
  const message = legacy('tools/call', { name: 'wait', _meta: { progressToken: 't' } })
  const clientOfA = new SessionClient(atA, headers['mcp-session-id'])
  const clientOfB = new SessionClient(atB, headers['mcp-session-id'])
  const first = await clientOfA.post(message)
  const [progress] = await first.take(1)
  first.cut()

  const second = await clientOfB.resume(progress?.id)
  release()

  const rest = messagesIn(await second.rest())
  expect(rest.map(({ params, result }) => params?.progress ?? result.content[0].text)).toStrictEqual([2, 'done'])
  for (const client of [clientOfA, clientOfB]) client.close()
})

it('the GET stream is resumed on the other node after its end on the first, also without an id', async () => {
  const { a, b, headers } = await openNodes()
  const [atA, atB] = await Promise.all([listen(a), listen(b)])
  await post(a, initialized, headers)
  const clientOfA = new SessionClient(atA, headers['mcp-session-id'])
  const clientOfB = new SessionClient(atB, headers['mcp-session-id'])
  const first = await clientOfA.get()
  a.mcp.changes.toolsChanged()
  expect(await first.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
  first.cut()
  await until(() => !sessionsOf(a).isInUse(headers['mcp-session-id']))
  await delay(20)
  a.mcp.changes.promptsChanged()

  const second = await clientOfB.get()

  expect(await second.message()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  for (const client of [clientOfA, clientOfB]) client.close()
})

it('a call in flight keeps its session in the store, regardless of its duration', async () => {
  const { tool, release } = createWaitingTool()
  const { a, b, store, headers } = await openNodes({
    tools: [tool],
    limits: { sessionIdleMs: 150 },
  })
  const calling = post(a, legacy('tools/call', call('wait')), headers)
  await delay(400)

  expect((await post(b, legacy('ping', {}, 2), headers)).status).toBe(200)
  release()
  expect((await calling).status).toBe(200)
  await delay(200)
  expect(store.kept.get(headers['mcp-session-id'])).toBeUndefined()
})

it('a node with too many sessions releases the least recently used one, and can load it again', async () => {
  const { b, headers } = await openNodes({ limits: { maxSessions: 2 } })
  const others = await Promise.all([1, 2, 3].map(() => post(b, initialize('2025-11-25'))))
  const all = [headers, ...others.map((reply) => ({ 'mcp-session-id': String(reply.headers['mcp-session-id']) }))]

  const statuses: number[] = []
  for (const session of [...all, ...all]) statuses.push((await post(b, legacy('ping'), session)).status)

  expect([...new Set(statuses), sessionsOf(b).held]).toStrictEqual([200, 2])
})

it('a server that closes leaves the sessions to other nodes', async () => {
  const { a, b, headers } = await openNodes()
  await post(a, legacy('ping'), headers)

  await a.close()

  expect((await post(b, legacy('ping'), headers)).status).toBe(200)
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

it('a session that an earlier version stored continues', async () => {
  const sessionStore = new OldRecords()
  const app = await openApp({ sessionStore, tools: [whoami] })
  const opened = await post(app, initialize('2025-06-18'))
  const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }

  const reply = await post(app, legacy('tools/call', call('whoami')), headers)

  expect(JSON.parse(reply.json.result.content[0].text)).toMatchObject({ protocolVersion: '2025-06-18' })
})
