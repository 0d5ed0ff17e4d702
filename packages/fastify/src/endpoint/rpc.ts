import { type Answer, Exchange, inTurn, isLong } from '@toolwright/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { readyToBegin } from '../pipelined-calls.js'
import { principalOf } from '../security/principal.js'
import { whenGone } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { refuseMethod } from './refuse-method.js'
import { sendAnswer } from './send-answer.js'

/**
 * Plain JSON-RPC: one message per POST, one JSON answer. No session, no event stream, and nothing asked of the headers,
 * which take no part in choosing the era either.
 */
export function mountRpc(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  const { limits } = endpoint.server
  scope.post(path, { bodyLimit: limits.maxMessageBytes }, createRpcHandler(endpoint))
  const refuse = refuseMethod('POST')
  const others = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  scope.route({ method: others, url: path, onRequest: refuse, handler: refuse })
}

function createRpcHandler(endpoint: EndpointOptions) {
  const { server } = endpoint
  const answerOf = async (exchange: Exchange, reply: FastifyReply): Promise<Answer> => {
    const answering = server.receive(exchange)
    if (!exchange.isAnswered) whenGone(reply, () => exchange.disconnected())
    const answer = await answering
    return isLong(answer.body) ? inTurn(answer) : answer
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, log } = request
    if (body === undefined) throw bodyEmpty()
    await readyToBegin(reply, server)
    const requests = server.inFlight.enter(body)
    const exchange = new Exchange({
      message: body,
      headers: null,
      contextHeaders: request.headers,
      principal: principalOf(request),
      log: log as never,
      peer: null,
      sessions: null,
      notify: () => undefined,
      canNotify: false,
      address: () => request.ip,
    })
    const answer = await answerOf(exchange, reply).finally(() => server.inFlight.leave(requests))
    // Nothing to say is a status of its own in plain JSON-RPC.
    return sendAnswer(reply, answer.body === null ? { ...answer, status: 204 } : answer, endpoint)
  }
}
