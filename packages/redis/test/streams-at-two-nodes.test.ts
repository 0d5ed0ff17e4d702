// A stream that a client of 2025-11-25 or older opens at one node while another serves it: no message is sent on both.
import { closeApps, type EventReader, legacyMessage, messagesIn } from '../../../test/support/client/index.js'
import { createWaitingTool } from '../../fastify/test/support/waiting-tool.js'

import { type Node, openNodes, openSession, openSessions } from './support/nodes.js'
import { RedisServer } from './support/redis-server.js'

const server = RedisServer.forTests(closeApps)

const uris = ['notes://1', 'notes://2', 'notes://3']

/** Nodes whose client subscribes to these resources. */
async function openListening() {
  const resources = uris.map((uri) => ({ uri, name: uri.slice(-1), handler: () => 'text' }))
  const nodes = await openNodes(server, { resources })
  const sessions = await openSessions(nodes)
  for (const uri of uris) await sessions.atA.request('resources/subscribe', { uri })
  return { nodes, ...sessions }
}

function update({ app }: Node, uri: string | undefined): void {
  app.mcp.changes.resourceUpdated(String(uri))
}

/** URIs of the updates on a stream, up to this one. Both nodes may report one change. */
async function urisUpTo(uri: string | undefined, stream: EventReader): Promise<string[]> {
  const seen: string[] = []
  while (seen.at(-1) !== uri) seen.push((await stream.message()).params.uri)
  return seen
}

function urisIn(messages: readonly { params: { uri: string } }[]): string[] {
  return [...new Set(messages.map(({ params }) => params.uri))]
}

it('the GET stream moves to the node where it was opened last, with new messages only', async () => {
  const { nodes, atA, atB, close } = await openListening()
  const [a, b] = nodes
  const first = await atA.listen()
  update(a, uris[0])
  expect(urisIn([await first.message()])).toStrictEqual([uris[0]])

  const second = await atB.listen()
  const restOfFirst = await first.rest()
  update(b, uris[1])
  const messages = [await second.message()]
  const third = await atA.listen()
  messages.push(...messagesIn(await second.rest()))
  update(a, uris[2])

  expect(messagesIn(restOfFirst)).toStrictEqual([])
  expect(urisIn(messages)).toStrictEqual([uris[1]])
  expect(await urisUpTo(uris[2], third)).not.toContain(uris[0])
  third.cut()
  close()
})

it('the GET stream moves also when it is resumed with Last-Event-ID', async () => {
  const { nodes, atA, atB, close } = await openListening()
  const first = await atA.listen()
  const [primed] = await first.take(1)

  const second = await atB.resume(primed?.id)
  expect(messagesIn(await first.rest())).toStrictEqual([])
  update(nodes[0], uris[0])

  expect(urisIn([await second.message()])).toStrictEqual([uris[0]])
  second.cut()
  close()
})

it('the stream of a call moves to the node where its client reconnects, although the old connection is still open', async () => {
  const { tool, release } = createWaitingTool()
  const { atA, atB, close } = await openSessions(await openNodes(server, { tools: [tool] }))
  const first = await atA.stream(legacyMessage('tools/call', { name: 'wait', _meta: { progressToken: 't' } }))
  const [, progress] = await first.take(2)

  const second = await atB.resume(progress?.id)
  const restOfFirst = await first.rest()
  release()

  expect(messagesIn(restOfFirst)).toStrictEqual([])
  const rest = messagesIn(await second.rest())
  expect(rest.map(({ params, result }) => params?.progress ?? result.content[0].text)).toStrictEqual([2, 'done'])
  close()
})

it('a crashed node delays the move by the store timeout at most', async () => {
  const [node] = await openNodes(server, { limits: { storeTimeoutMs: 300 } })
  const client = await openSession(node)
  await node.redis.stores.sessionStore.update(client.sessionId, (session) => ({ ...session, listensAt: 'gone' }))

  const streams = [await client.listen(), await client.listen()]

  expect(streams.map(({ status }) => status)).toStrictEqual([200, 200])
  expect(messagesIn((await streams[0]?.rest()) ?? [])).toStrictEqual([])
  streams[1]?.cut()
  client.close()
})

it('of two GET streams opened at both nodes at once, at most one remains, and no event is sent twice', async () => {
  const { nodes, atA, atB, close } = await openListening()
  const ids: (string | undefined)[] = []
  const read = async (stream: EventReader): Promise<void> => {
    const events = await stream.rest()
    ids.push(...events.filter(({ data }) => data !== '').map(({ id }) => id))
  }

  const reading: Promise<void>[] = []
  for (let round = 0; round < 5; round++) {
    // oxlint-disable-next-line no-await-in-loop
    const streams = await Promise.all([atA.listen(), atB.listen()])
    reading.push(...streams.map(read))
    for (const node of nodes) update(node, uris[0])
  }
  await atA.listen()
  await Promise.all(reading)

  expect(ids).toStrictEqual([...new Set(ids)])
  expect(ids).not.toHaveLength(0)
  close()
})
