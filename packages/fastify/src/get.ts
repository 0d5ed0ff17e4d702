import { ProtocolError } from '@toolwright/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readAccept } from './accept.js'
import { sendEvents } from './event-frames.js'
import type { EndpointOptions } from './options.js'
import { findSession, methodNotAllowed } from './sessions.js'

/** GET opens the stream of a legacy session, or goes on with one whose connection broke. */
export function createGetHandler({ server, closing, retryMs }: EndpointOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // There are no streams outside sessions, and no other revisions that have any.
    if (request.headers['mcp-session-id'] === undefined) throw methodNotAllowed(reply, 'POST')
    if (!readAccept(request.headers.accept).events) {
      throw new ProtocolError('notAcceptable', 'Not Acceptable: accept text/event-stream')
    }
    const { streams } = findSession(server, request)
    const lastEventId = request.headers['last-event-id']
    if (lastEventId === undefined) {
      const reader = await streams.openChannel()
      closing.endWith(reply, () => reader.finish())
      closing.freeConnection(reply)
      return sendEvents(reply, reader, retryMs)
    }
    const reader = await streams.resume(String(lastEventId))
    if (reader === undefined) {
      const message = 'Invalid Request: Last-Event-ID names no event that can be gone on from. Open a stream without it'
      throw new ProtocolError('invalidRequest', message)
    }
    // The client has everything. To event sources this status says: do not come back.
    if (reader === null) return reply.code(204).send()
    closing.freeConnection(reply)
    return sendEvents(reply, reader, retryMs)
  }
}
