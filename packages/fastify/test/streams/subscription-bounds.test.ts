// The URIs of all sessions and connections share one limit. Each caller can use at most half of the free part.
import { type Authenticator, InProcessChangeBus } from '@toolwright/core'
import type { FastifyInstance } from 'fastify'
import {
  closeApps,
  connectTo,
  type HeaderValues,
  initializeMessage,
  legacyMessage,
  listen,
  openApp,
} from '../../../../test/support/client/index.js'
import { until } from '../../../../test/support/until.js'
import { seeded } from '../support/random.js'
import { RemoteSessionStore } from '../support/remote-session-store.js'
import { SlowEventStore } from '../support/slow-event-store.js'
import { openSocket } from '../support/web-socket-client.js'

const bySubject: Authenticator = {
  authenticate: ({ headers }) => ({ subject: String(headers['x-who']), roles: [], scopes: [], claims: {} }),
}

async function open(app: FastifyInstance, who: string): Promise<HeaderValues> {
  const { headers } = await connectTo(app, { era: 'legacy' }).initialize('2025-11-25', {}, { 'x-who': who })
  return { 'x-who': who, 'mcp-session-id': String(headers['mcp-session-id']) }
}

/** A URI of 100 characters, which counts as 200 bytes. */
function uriOf(index: number): string {
  return `notes://${String(index).padStart(92, '0')}`
}

/** Subscribes a session until it is rejected. @returns The number of its subscriptions. */
async function fill(app: FastifyInstance, session: HeaderValues): Promise<number> {
  for (let taken = 0; taken < 100; taken++) {
    const { json } = await connectTo(app, { era: 'legacy' }).request(
      'resources/subscribe',
      { uri: uriOf(taken) },
      { headers: session },
    )
    if (json.error !== undefined) return taken
  }
  return 100
}

async function openNode(maxSubscribedBytes: number, options: object = {}): Promise<FastifyInstance> {
  const app = await openApp({ limits: { maxSubscribedBytes }, ...options })
  app.mcp.catalog.addResource({ uri: 'notes://one', name: 'one', handler: () => 'one' })
  return app
}

function takenOf(app: FastifyInstance): number {
  return app.mcp.metrics().subscribedBytes.value
}

afterEach(closeApps)

it('one caller can use at most half of the free quota, over any number of sessions', async () => {
  const app = await openNode(8000, { authentication: bySubject })
  const client = connectTo(app, { era: 'legacy' })
  const [first, second] = [await open(app, 'flood'), await open(app, 'flood')]

  expect(await fill(app, first)).toBe(20)
  expect(await fill(app, second)).toBe(0)
  expect(await fill(app, await open(app, 'other flood'))).toBe(10)
  expect(await fill(app, await open(app, 'ada'))).toBe(5)

  const rejected = await client.request('resources/subscribe', { uri: uriOf(20) }, { headers: first })
  expect([rejected.status, rejected.headers['retry-after'], rejected.json.error]).toStrictEqual([
    503,
    '10',
    { code: -32603, message: 'Too many subscriptions are open. Try again in 10 s', data: { retryAfterMs: 10_000 } },
  ])
  expect(
    (await client.request('resources/subscribe', { uri: uriOf(1) }, { headers: first })).json.result,
  ).toStrictEqual({})
  const { subscribedBytes, rejectedSubscriptions } = app.mcp.metrics()
  expect([subscribedBytes, rejectedSubscriptions]).toStrictEqual([{ value: 7000, max: 8000 }, 5])
})

it('subscriptions that end, with or without their session, no longer count', async () => {
  const app = await openNode(8000, { authentication: bySubject })
  const session = await open(app, 'ada')
  await fill(app, session)

  await connectTo(app, { era: 'legacy' }).request('resources/unsubscribe', { uri: uriOf(7) }, { headers: session })
  expect(takenOf(app)).toBe(3800)
  await app.inject({ method: 'DELETE', url: '/mcp', headers: session as Record<string, string> })

  expect(takenOf(app)).toBe(0)
  expect(await fill(app, await open(app, 'ada'))).toBe(20)
})

it('a session that continues on another node counts there, also beyond the limit', async () => {
  const [sessionStore, eventStore] = [new RemoteSessionStore(), new SlowEventStore(seeded(1))]
  const shared = { authentication: bySubject, sessionStore, eventStore, changeBus: new InProcessChangeBus() }
  const [a, b] = await Promise.all([openNode(8000, shared), openNode(2000, shared)])
  const session = await open(a, 'ada')
  await fill(a, session)

  await connectTo(b, { era: 'legacy' }).send(legacyMessage('ping'), session)

  expect([takenOf(a), takenOf(b)]).toStrictEqual([4000, 4000])
  expect(await fill(b, await open(b, 'grace'))).toBe(0)
  await b.inject({ method: 'DELETE', url: '/mcp', headers: session as Record<string, string> })
  expect([takenOf(a), takenOf(b)]).toStrictEqual([0, 0])
})

it('a WebSocket counts until it is closed', async () => {
  const app = await openNode(2000, { webSocket: true })
  const client = await openSocket(await listen(app))
  await client.request(initializeMessage('2025-11-25'))

  const answers = []
  for (let index = 0; index < 6; index++) {
    answers.push(await client.request(legacyMessage('resources/subscribe', { uri: uriOf(index) })))
  }

  expect(answers.map(({ error }) => error?.code)).toStrictEqual([...Array(5).fill(undefined), -32603])
  expect(takenOf(app)).toBe(1000)
  client.socket.close()
  await until(() => takenOf(app) === 0)
})
