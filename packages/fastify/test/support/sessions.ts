import { runningServer } from '@toolwright/core/transport'
import type { FastifyInstance } from 'fastify'
import type { HeldSession } from '../../../sessions/src/held-session.js'
import type { Sessions } from '../../../sessions/src/sessions.js'

/** The internal sessions of an application, which only its transports use. */
export function sessionsOf(app: FastifyInstance): Sessions {
  return runningServer(app.mcp).sessions as Sessions
}

/** This node's state of a session, if the store responds synchronously. */
export function sessionOf(app: FastifyInstance, sessionId: string): HeldSession | undefined {
  return sessionsOf(app).find(sessionId, null) as HeldSession | undefined
}
