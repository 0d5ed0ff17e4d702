import { isForeignHost } from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Rejects requests whose `Host` the endpoint would reject, too: a web page can point its own name at this machine. */
export function rejectForeignHost(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isForeignHost(request.server, request.host))
    void reply.code(403).send({ error: 'Forbidden: the host is not allowed' })
  else done()
}
