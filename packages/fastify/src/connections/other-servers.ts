import type { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'

/**
 * Returns the HTTP servers besides `app.server`. For `localhost`, its default, Fastify listens on each address with a
 * separate server, and publishes only the first. It closes the others after that one without waiting for their connections.
 * A private symbol of Fastify leads to them. In versions without it, the list is empty, and they close as in plain Fastify.
 */
export function otherServers(app: FastifyInstance): readonly EventEmitter[] {
  // A scope has its parent as its prototype, and the outermost instance has the symbol.
  for (let one: object | null = app; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const key = Object.getOwnPropertySymbols(one).find(({ description }) => description === 'fastify.serverBindings')
    if (key !== undefined) return (one as Record<symbol, readonly EventEmitter[]>)[key] ?? []
  }
  return []
}
