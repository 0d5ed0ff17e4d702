import type { Redis } from '@toolwright/redis'
import type { FastifyInstance } from 'fastify'
import { SessionClient } from '../../../fastify/test/support/events.js'
import {
  type AppOptions,
  initialize,
  listen,
  metaKeys,
  modern,
  openApp,
  post,
  postModern,
  type Reply,
} from '../../../fastify/test/support/wire.js'
import { newPrefix, type RedisServer } from './redis-server.js'

export interface Node {
  readonly app: FastifyInstance
  readonly port: number
  readonly redis: Redis
}

/** Two nodes of one server, each with its own connections to Redis. */
export async function openNodes(server: RedisServer, options: AppOptions = {}): Promise<[Node, Node]> {
  const prefix = newPrefix()
  return [await openNode(server, prefix, options), await openNode(server, prefix, options)]
}

/** One node of those that share a prefix. @param url Its Redis, if it differs from that of the others. */
export async function openNode(
  server: RedisServer,
  prefix: string,
  options: AppOptions = {},
  url: string = server.url,
): Promise<Node> {
  const redis = await server.connect({ url, prefix, limits: options.limits })
  const app = await openApp({ ...redis.stores, ...options })
  return { app, port: await listen(app), redis }
}

/** A session that is opened on a node, with its client. */
export async function openSession({ app, port }: Node) {
  const opened = await post(app, initialize('2025-11-25'))
  expect(opened.status).toBe(200)
  const sessionId = String(opened.headers['mcp-session-id'])
  const headers = { 'mcp-session-id': sessionId }
  await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  return { headers, client: new SessionClient(port, sessionId) }
}

/** A session that is opened on the first node, and a client of the session for each node. */
export async function openSessions([a, b]: readonly [Node, Node]) {
  const { headers, client: atA } = await openSession(a)
  const atB = new SessionClient(b.port, atA.sessionId)
  return { headers, atA, atB, close: () => [atA, atB].forEach((client) => client.close()) }
}

const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

/** Calls the tool `waits`. */
export async function beginTask({ app }: Node): Promise<{ taskId: string }> {
  return (await postModern(app, modern('tools/call', { name: 'waits', _meta }))).json.result
}

export function askTask({ app }: Node, method: string, taskId: string): Promise<Reply> {
  return postModern(app, modern(method, { taskId, _meta }), { 'mcp-name': taskId })
}
