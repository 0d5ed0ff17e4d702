import type { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'

/**
 * The servers besides `app.server`. Fastify listens on each address of `localhost`, its default, with a server of its own,
 * and keeps all but the first to itself: they close after that one, and nobody waits for their connections. Nothing public
 * leads to them. Where a version of Fastify keeps them elsewhere, there are none, and they end as they do in Fastify alone.
 */
export function otherServers(app: FastifyInstance): readonly EventEmitter[] {
  // A scope has the instance around it as its prototype, and the outermost one has them.
  for (let one: object | null = app; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const key = Object.getOwnPropertySymbols(one).find(({ description }) => description === 'fastify.serverBindings')
    if (key !== undefined) return (one as Record<symbol, readonly EventEmitter[]>)[key] ?? []
  }
  return []
}
