import type { McpServer } from '@toolwright/core'
import { ProtocolError, revisionInHeader } from '@toolwright/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** DELETE ends a legacy session. */
export function createDeleteHandler({ sessions }: McpServer) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    revisionInHeader(request.headers)
    const id = request.headers['mcp-session-id']
    if (id === undefined)
      throw new ProtocolError('invalidRequest', 'Invalid Request: the Mcp-Session-Id header is missing')
    const session = sessions.find(String(id), null)
    if (session === undefined) throw new ProtocolError('sessionNotFound', 'Session not found')
    sessions.end(session)
    return reply.code(200).send()
  }
}

export function refuseMethod(allow: string) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', allow)
    throw new ProtocolError('methodNotAllowed', `Method Not Allowed: use ${allow}`)
  }
}
