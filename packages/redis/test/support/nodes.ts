import type { AddedResource } from '@toolwright/core'
import type { Redis } from '@toolwright/redis'
import type { FastifyInstance } from 'fastify'
import {
  type AppOptions,
  connectTo,
  listen,
  metaKeys,
  openApp,
  openSession as openSessionOf,
  type Reply,
  type TestClient,
} from '../../../../test/support/client/index.js'
import { newPrefix, type RedisServer } from './redis-server.js'

export interface NodeOptions extends AppOptions {
  readonly resources?: readonly AddedResource[]
}

export interface Node {
  readonly app: FastifyInstance
  readonly port: number
  readonly redis: Redis
}

/** Two nodes of one server, each with its own connections to Redis. */
export async function openNodes(server: RedisServer, options: NodeOptions = {}): Promise<[Node, Node]> {
  const prefix = newPrefix()
  return [await openNode(server, prefix, options), await openNode(server, prefix, options)]
}

/** One of several nodes that share a prefix. @param url Its Redis, if it differs from that of the others. */
export async function openNode(
  server: RedisServer,
  prefix: string,
  { tools = [], resources = [], ...options }: NodeOptions = {},
  url: string = server.url,
): Promise<Node> {
  const redis = await server.connect({ url, prefix, limits: options.limits })
  const app = await openApp({
    ...redis.stores,
    ...options,
    // Features that are added later would be announced, perhaps late, to clients of the other nodes.
    onReady: async (mcp) => {
      for (const tool of tools) mcp.catalog.addTool(tool)
      for (const resource of resources) mcp.catalog.addResource(resource)
      await options.onReady?.(mcp)
    },
  })
  return { app, port: await listen(app), redis }
}

/** A client with an initialized session. */
export async function openSession({ app }: Node): Promise<TestClient> {
  const session = await openSessionOf(app)
  await session.notify('notifications/initialized')
  return session
}

/** A session that is opened on the first node, and its client at each node. */
export async function openSessions([a, b]: readonly [Node, Node]) {
  const atA = await openSession(a)
  const atB = atA.at(b.app)
  return { atA, atB, close: () => [atA, atB].forEach((client) => client.close()) }
}

const _meta = { [metaKeys.capabilities]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

/** Calls the tool `waits`. */
export async function beginTask({ app }: Node): Promise<{ taskId: string }> {
  return (await connectTo(app).request('tools/call', { name: 'waits', _meta })).json.result
}

export function askTask({ app }: Node, method: string, taskId: string): Promise<Reply> {
  return connectTo(app).request(method, { taskId, _meta }, { headers: { 'mcp-name': taskId } })
}
