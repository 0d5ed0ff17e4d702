import { ProtocolError } from '@toolwright/core'
import { openChannel, resumeStream, type Session, type StreamReader, whenExpired } from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { sendEvents } from '../streams/event-frames.js'
import { whenClosed } from '../streams/when-closed.js'
import { findSession } from './delete.js'
import { readAccept } from './post.js'
import { methodNotAllowed } from './refuse-method.js'

/** GET opens the stream of a legacy session, or goes on with one whose connection broke. */
export function createGetHandler(endpoint: EndpointOptions) {
  const { server, closing } = endpoint
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // There are no streams outside sessions, and no other revisions that have any.
    if (request.headers['mcp-session-id'] === undefined) {
      throw methodNotAllowed(reply, 'POST, DELETE', ', or GET with the Mcp-Session-Id of a session')
    }
    if (!readAccept(request.headers.accept).events) {
      throw new ProtocolError('notAcceptable', 'Not Acceptable: accept text/event-stream')
    }
    const session = await findSession(server, request)
    const lastEventId = request.headers['last-event-id']
    const reader = await openReader(session, lastEventId)
    // The client has everything. To event sources this status says: do not come back.
    if (reader === null) return reply.code(204).send()
    // A call's stream ends with its answer, which a closing application waits for.
    if (lastEventId === undefined || reader.isChannel) closing.endWith(reply, () => reader.finish())
    // At once: what is not handed out yet is kept for who comes with better credentials.
    const stopWaiting = whenExpired(principalOf(request), () => reader.close())
    whenClosed(reply, stopWaiting)
    return sendEvents(reply, reader, endpoint)
  }
}

/** @throws ProtocolError when the id leads nowhere (400), or the event store fails (503). */
async function openReader(session: Session, lastEventId: string | string[] | undefined): Promise<StreamReader | null> {
  if (lastEventId === undefined) return openChannel(session)
  const reader = await resumeStream(session, String(lastEventId))
  if (reader !== undefined) return reader
  const message = 'Invalid Request: Last-Event-ID names no event to go on from. Open a stream without it'
  throw new ProtocolError('invalidRequest', message)
}
