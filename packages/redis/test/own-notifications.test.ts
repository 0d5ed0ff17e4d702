// Notifications of the application, published on one of two nodes that share a Redis.

import { closeApps } from '../../../test/support/client/index.js'
import { until } from '../../../test/support/until.js'
import { sessionsOf } from '../../fastify/test/support/sessions.js'
import { openNodes, openSession, openSessions } from './support/nodes.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)
const method = 'notifications/acme/price'

it('a notification of one node reaches the stream of a session at the other, once', async () => {
  const nodes = await openNodes(server)
  const [a, b] = nodes
  const { atA, atB, close } = await openSessions(nodes)
  // Both nodes hold the session.
  await atB.request('ping')
  const stream = await atA.listen()
  await until(() => sessionsOf(a.app).held.isInUse(atA.sessionId))
  for (const price of [1, 2]) b.app.mcp.changes.notify(method, { price })
  a.app.mcp.changes.notify(method, { price: 3 })

  const seen = [await stream.message(), await stream.message(), await stream.message()]
  expect(seen.map(({ params }) => params.price).toSorted((one, other) => one - other)).toEqual([1, 2, 3])
  expect(seen[0]).toEqual({ jsonrpc: '2.0', method, params: { price: expect.any(Number) } })
  close()
})

it('a session without a stream gets a notification once, although both nodes hold it', async () => {
  const nodes = await openNodes(server)
  const [a, b] = nodes
  const { atB, close } = await openSessions(nodes)
  await atB.request('ping')
  const others = [await openSession(a), await openSession(b)] as const
  const witnesses = [await others[0].listen(), await others[1].listen()]
  a.app.mcp.changes.notify(method, { price: 1 })
  b.app.mcp.changes.notify(method, { price: 2 })
  // Both nodes have served the notifications, before the session has a stream.
  for (const witness of witnesses) await Promise.all([witness.message(), witness.message()])
  const stream = await atB.listen()
  b.app.mcp.changes.notify(method, { price: 3 })

  const seen: number[] = []
  while (seen.at(-1) !== 3) seen.push((await stream.message()).params.price)
  expect(seen.toSorted((one, other) => one - other)).toEqual([1, 2, 3])
  for (const client of others) client.close()
  close()
})

it('a notification to one session reaches it at another node, and no other session', async () => {
  const nodes = await openNodes(server)
  const [a, b] = nodes
  const one = await openSession(a)
  const other = await openSession(a)
  const streams = [await one.listen(), await other.listen()] as const
  b.app.mcp.changes.notify(method, { price: 1 }, { sessionId: one.sessionId })
  b.app.mcp.changes.notify(method, { price: 2 })

  expect((await streams[0].message()).params.price).toBe(1)
  expect((await streams[1].message()).params.price).toBe(2)
  one.close()
  other.close()
})
