import { STATUS_CODES } from 'node:http'
import { shorten } from '@toolwright/core/host'
import { withoutQuery } from '@toolwright/fastify/internal'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Answers requests for unknown paths, without repeating their query. Fastify logs and returns the whole URL, which may
 * contain the token of a client with a wrong path. No line is logged here, because Fastify's line about the incoming
 * request has the path.
 */
export function answerUnknownPaths(app: FastifyInstance): void {
  // Adds only a hook, and keeps Fastify's default handler: a handler can be set only once, and the application may set
  // its own.
  app.setNotFoundHandler({ preHandler: answerNotFound }, undefined as never)
}

async function answerNotFound({ method, url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const message = `Route ${method}:${shorten(withoutQuery(url), 1000)} not found`
  return reply.code(404).send({ message, error: STATUS_CODES[404], statusCode: 404 })
}

/** Answers requests with invalid URLs. The message omits the URL, which Fastify's message would quote. */
export function answerBadUrl(
  { statusCode = 400, code }: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = STATUS_CODES[statusCode]
  void reply.code(statusCode).send({ error, code, message: `${error}: the URL is invalid`, statusCode })
}
