import type { Answer } from '@toolwright/core/internal'
import type { FastifyReply } from 'fastify'
import { challengeCaller } from './challenge.js'
import type { EndpointOptions } from './options.js'
import { closeConnection, retryAfterSeconds, setRetryAfter } from './send-error.js'

/** Sends an answer that is one JSON text, or nothing, with the headers that belong to it. */
export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  { closing, challenges }: Pick<EndpointOptions, 'closing' | 'challenges'>,
): FastifyReply {
  if (closing.hasBegun) closeConnection(reply)
  if (answer.sessionId !== undefined) reply.header('mcp-session-id', answer.sessionId)
  if (answer.retryAfterMs !== undefined) setRetryAfter(reply, answer.retryAfterMs)
  else if (answer.status === 503) reply.header('retry-after', retryAfterSeconds)
  if (answer.status === 401 || answer.status === 403) challengeCaller(reply, answer, challenges)
  reply.code(answer.status)
  if (answer.body === null) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
