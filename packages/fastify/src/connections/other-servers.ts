import type { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'

/**
 * Returns the HTTP servers besides `app.server`. For its default host, `localhost`, Fastify creates a server for each
 * address, and publishes only the first server. Fastify closes the other servers after the first, without waiting for
 * their connections. A private symbol of Fastify lists the other servers. Without the symbol, the list is empty, and
 * the servers close as in plain Fastify.
 */
export function otherServers(app: FastifyInstance): readonly EventEmitter[] {
  // A scope has its parent as its prototype. Only the outermost instance has the symbol.
  for (let one: object | null = app; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const key = Object.getOwnPropertySymbols(one).find(({ description }) => description === 'fastify.serverBindings')
    if (key !== undefined) return (one as Record<symbol, readonly EventEmitter[]>)[key] ?? []
  }
  return []
}
