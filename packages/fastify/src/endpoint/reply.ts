import { STATUS_CODES } from 'node:http'
import { LimitError, type Limits, ProtocolError } from '@toolwright/core'
import { errorIdOf, idForError, internalError, logFailure } from '@toolwright/core/host'
import { type Answer, errorResponse, type RunningServer } from '@toolwright/core/transport'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { limitUnread } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { challengeCaller } from '../security/challenge.js'
import { bodyTooLarge } from './errors.js'

/** Seconds after which a client may retry a request that failed with 503. */
export const retryAfterSeconds = 1

/** Sends any error, including Fastify's, as a JSON-RPC error without internal details. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { limits, oversizedMessages }: RunningServer,
): FastifyReply {
  const status = statusOf(error)
  const known = error instanceof ProtocolError ? error : toProtocolError(status, limits, request)
  oversizedMessages.addIfTooLarge(known)
  if (status >= 500 && known.kind !== 'unavailable') {
    logFailure(request.log, error, { errorId: errorIdOf(request) }, 'a request failed unexpectedly')
  }
  adviseRetry(reply, known)
  // The rest of a rejected body is not read, so the connection cannot carry another request.
  if (known.kind === 'bodyTooLarge') closeConnection(reply)
  // Removes the header `Connection`, which Fastify sets for each body that failed. On HTTP/2, Node would drop the
  // header with a warning on stderr.
  if (request.raw.httpVersionMajor === 2) reply.removeHeader('connection')
  return (
    reply
      .code(status)
      .header('content-type', 'application/json; charset=utf-8')
      // Other errors are sent before the body is read, or say why the message itself is invalid.
      .send(errorResponse(known.kind === 'internalError' ? idForError(request.body) : undefined, known))
  )
}

/**
 * Closes an HTTP/1 connection after this answer. An HTTP/2 connection carries other requests, and has no such header.
 */
function closeConnection(reply: FastifyReply): void {
  if (reply.request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
}

export function adviseRetry(reply: FastifyReply, error: ProtocolError): void {
  if (error instanceof LimitError) {
    if (error.retryAfterMs !== undefined) setRetryAfter(reply, error.retryAfterMs)
  } else if (error.kind === 'unavailable' && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', retryAfterSeconds)
  }
}

function setRetryAfter(reply: FastifyReply, retryAfterMs: number): void {
  reply.header('retry-after', String(Math.ceil(retryAfterMs / 1000)))
}

/** Returns the status of an error. Hooks of the application may set a status, such as 401, 429 or 503. */
function statusOf(error: unknown): number {
  if (error instanceof ProtocolError) return error.kind === 'internalError' ? 500 : error.status
  const { statusCode } = (error ?? {}) as Partial<FastifyError>
  return statusCode !== undefined && statusCode >= 400 && statusCode in STATUS_CODES ? statusCode : 500
}

function toProtocolError(status: number, { maxMessageBytes }: Limits, request: FastifyRequest): ProtocolError {
  if (status === 400) return new ProtocolError('invalidRequest', 'Invalid Request')
  if (status === 413) return bodyTooLarge(maxMessageBytes)
  if (status === 415) {
    return new ProtocolError('unsupportedMediaType', 'Unsupported Media Type: send application/json')
  }
  if (status === 500) return internalError(errorIdOf(request))
  // The error's own message is not sent, because it may contain internal details.
  return new ProtocolError(status < 500 ? 'invalidRequest' : 'internalError', STATUS_CODES[status] as string)
}

export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  endpoint: EndpointOptions,
  contentType = 'application/json; charset=utf-8',
): FastifyReply {
  const { closing, challenges } = endpoint
  if (closing.hasStarted) closeConnection(reply)
  if (answer.sessionId !== undefined) reply.header('mcp-session-id', answer.sessionId)
  if (answer.retryAfterMs !== undefined) setRetryAfter(reply, answer.retryAfterMs)
  else if (answer.status === 503) reply.header('retry-after', retryAfterSeconds)
  if (answer.status === 401 || answer.status === 403) challengeCaller(reply, answer, challenges)
  reply.code(answer.status)
  if (answer.body === null || !limitUnread(reply, answer.body, endpoint)) return reply.send()
  return reply.header('content-type', contentType).send(answer.body)
}
