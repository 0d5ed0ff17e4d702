import type { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'

/**
 * Returns the HTTP servers besides `app.server`. For `localhost`, its default, Fastify listens on each address with a
 * separate server, and publishes only the first. Fastify closes the other servers after the first, without waiting for
 * their connections. They are found by a private symbol of Fastify. In versions without the symbol, the list is empty,
 * and the servers close as in plain Fastify.
 */
export function otherServers(app: FastifyInstance): readonly EventEmitter[] {
  // A scope has its parent as its prototype, and the outermost instance has the symbol.
  for (let one: object | null = app; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const key = Object.getOwnPropertySymbols(one).find(({ description }) => description === 'fastify.serverBindings')
    if (key !== undefined) return (one as Record<symbol, readonly EventEmitter[]>)[key] ?? []
  }
  return []
}
