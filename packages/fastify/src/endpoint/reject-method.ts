import { ProtocolError } from '@toolwright/core'
import type { FastifyReply, FastifyRequest } from 'fastify'

export function rejectMethod(allow: string) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    throw methodNotAllowed(reply, allow)
  }
}

/** @param others Methods that would be allowed under a condition. The message lists these methods. */
export function methodNotAllowed(reply: FastifyReply, allow: string, others = ''): ProtocolError {
  reply.header('allow', allow)
  return new ProtocolError('methodNotAllowed', `Method Not Allowed: use ${allow}${others}`)
}
