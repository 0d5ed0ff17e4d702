import { ProtocolError } from '@toolwright/core'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A handler, and a hook, for methods that a path does not have. @param allow Those that it has: `GET, POST`. */
export function refuseMethod(allow: string) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    throw methodNotAllowed(reply, allow)
  }
}

/** @param others What is allowed under a condition. */
export function methodNotAllowed(reply: FastifyReply, allow: string, others = ''): ProtocolError {
  reply.header('allow', allow)
  return new ProtocolError('methodNotAllowed', `Method Not Allowed: use ${allow}${others}`)
}
