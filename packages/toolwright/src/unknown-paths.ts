import { STATUS_CODES } from 'node:http'
import { shorten } from '@toolwright/core/transport'
import { withoutQuery } from '@toolwright/fastify/internal'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Fastify logs and repeats the whole URL of what it does not know: a client that was given a wrong path would find its
 * token in both. The line that a request came in names the path, so there is none besides.
 */
export function answerUnknownPaths(app: FastifyInstance): void {
  // A hook of Fastify's own handler, and no handler: the application can still set its own, which has to be the first.
  app.setNotFoundHandler({ preHandler: answerNotFound }, undefined as never)
}

async function answerNotFound({ method, url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const message = `Route ${method}:${shorten(withoutQuery(url), 1000)} not found`
  return reply.code(404).send({ message, error: STATUS_CODES[404], statusCode: 404 })
}

/** For URLs that cannot be read: Fastify's message quotes them. */
export function answerBadUrl(
  { statusCode = 400, code }: FastifyError,
  _request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = STATUS_CODES[statusCode]
  void reply.code(statusCode).send({ error, code, message: `${error}: the URL cannot be read`, statusCode })
}
