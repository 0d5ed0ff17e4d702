import { type Session } from '@toolwright/core/host'
import { type RunningServer, runningServer } from '@toolwright/core/transport'
import type { FastifyInstance } from 'fastify'

/** The internal sessions of an application, which only its transports use. */
export function sessionsOf(app: FastifyInstance): RunningServer['sessions'] {
  return runningServer(app.mcp).sessions
}

/** This node's state of a session, if the store responds synchronously. */
export function sessionOf(app: FastifyInstance, sessionId: string): Session | undefined {
  return sessionsOf(app).find(sessionId, null) as Session | undefined
}
