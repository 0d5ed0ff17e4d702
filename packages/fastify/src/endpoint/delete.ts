import { ProtocolError } from '@toolwright/core'
import { revisionInHeader, type Session, sessionNotFound } from '@toolwright/core/host'
import { type RunningServer } from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../security/principal.js'

export function createDeleteHandler(server: RunningServer) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await findSession(server, request)
    await server.sessions?.end(session)
    return reply.code(200).send()
  }
}

/** Whether a request names a session, or an event stream of the transport of 2024-11-05. */
export function namesSession({ headers, query }: FastifyRequest): boolean {
  return headers['mcp-session-id'] !== undefined || (query as { readonly sessionId?: unknown }).sessionId !== undefined
}

/** @throws ProtocolError without a session id (400), for an unknown session (404), or if the session store fails (503). */
export async function findSession({ sessions, offered }: RunningServer, request: FastifyRequest): Promise<Session> {
  const { headers } = request
  revisionInHeader(headers, offered)
  const id = headers['mcp-session-id']
  if (id === undefined) {
    throw new ProtocolError('invalidRequest', 'Invalid Request: the Mcp-Session-Id header is missing')
  }
  const session = await sessions?.find(String(id), principalOf(request))
  if (session === undefined) throw sessionNotFound()
  return session
}
