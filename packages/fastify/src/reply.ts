import type { Limits } from '@toolwright/core'
import { errorResponse, ProtocolError } from '@toolwright/core/internal'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** Every error of the endpoint as a JSON-RPC error, Fastify's own included. Nothing internal is in it. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, limits: Limits): FastifyReply {
  const known = error instanceof ProtocolError ? error : toProtocolError(error as FastifyError, limits)
  if (known.kind === 'internalError') request.log.error({ err: error }, 'a request failed unexpectedly')
  const status = known.kind === 'internalError' ? 500 : known.status
  // The rest of a refused body is not read: the connection cannot carry another request.
  if (known.kind === 'bodyTooLarge') reply.header('connection', 'close')
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorResponse(undefined, known))
}

function toProtocolError({ code, statusCode = 500 }: FastifyError, { maxMessageBytes }: Limits): ProtocolError {
  if (statusCode === 413) {
    return new ProtocolError('bodyTooLarge', `Content Too Large: a message has at most ${maxMessageBytes} bytes`)
  }
  if (statusCode === 415) {
    return new ProtocolError('unsupportedMediaType', 'Unsupported Media Type: send application/json')
  }
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return new ProtocolError('parseError', 'Parse error: the body is empty')
  if (statusCode >= 400 && statusCode < 500) return new ProtocolError('invalidRequest', 'Invalid Request')
  return new ProtocolError('internalError', 'Internal error')
}
