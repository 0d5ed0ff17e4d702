import type { Answer } from '@toolwright/core/internal'
import type { FastifyReply } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { challengeCaller } from '../security/challenge.js'
import { boundUnread } from '../streams/unread-answers.js'
import { closeConnection, retryAfterSeconds, setRetryAfter } from './send-error.js'

/** Sends an answer that is one JSON text, or nothing, with the headers that belong to it. */
export function sendAnswer(reply: FastifyReply, answer: Answer, endpoint: EndpointOptions): FastifyReply {
  const { closing, challenges } = endpoint
  if (closing.hasStarted) closeConnection(reply)
  if (answer.sessionId !== undefined) reply.header('mcp-session-id', answer.sessionId)
  if (answer.retryAfterMs !== undefined) setRetryAfter(reply, answer.retryAfterMs)
  else if (answer.status === 503) reply.header('retry-after', retryAfterSeconds)
  if (answer.status === 401 || answer.status === 403) challengeCaller(reply, answer, challenges)
  reply.code(answer.status)
  if (answer.body === null || !boundUnread(reply, answer.body, endpoint)) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
}
