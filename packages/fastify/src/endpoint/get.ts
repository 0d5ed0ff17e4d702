import { ProtocolError } from '@toolwright/core'
import type { Session, SessionReader } from '@toolwright/core/host'
import { whenExpired } from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { sendEvents } from '../streams/event-frames.js'
import { whenClosed } from '../streams/when-closed.js'
import { findSession } from './delete.js'
import { readAccept } from './post.js'
import { methodNotAllowed } from './reject-method.js'

export function createGetHandler(endpoint: EndpointOptions) {
  const { server, closing } = endpoint
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Only sessions have GET streams, and only legacy revisions have sessions.
    if (request.headers['mcp-session-id'] === undefined) {
      throw methodNotAllowed(reply, 'POST, DELETE', ', or GET with the Mcp-Session-Id of a session')
    }
    if (!readAccept(request.headers.accept).events) {
      throw new ProtocolError('notAcceptable', 'Not Acceptable: accept text/event-stream')
    }
    const session = await findSession(server, request)
    const lastEventId = request.headers['last-event-id']
    const reader = await openReader(session, lastEventId)
    // The client has all events. After a 204, `EventSource` does not reconnect.
    if (reader === null) return reply.code(204).send()
    // The stream of a call ends with its answer, and shutdown waits for the answer. Other streams are ended here.
    if (lastEventId === undefined || reader.isChannel) closing.endWith(reply, () => reader.finish())
    // Closes the stream at once: the event store keeps unsent events for a client that returns with valid credentials.
    const stopWaiting = whenExpired(principalOf(request), () => reader.close())
    whenClosed(reply, stopWaiting)
    return sendEvents(reply, reader, endpoint)
  }
}

/** @throws ProtocolError for an unknown event id (400), or if the event store fails (503). */
async function openReader(session: Session, lastEventId: string | string[] | undefined): Promise<SessionReader | null> {
  if (lastEventId === undefined) return session.openChannel()
  const reader = await session.resume(String(lastEventId))
  if (reader !== undefined) return reader
  const message = 'Invalid Request: Last-Event-ID names no event to resume from. Open a stream without it'
  throw new ProtocolError('invalidRequest', message)
}
