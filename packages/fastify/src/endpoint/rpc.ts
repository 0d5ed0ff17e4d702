import { type Answer, Exchange, inTurn, isLong } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readyToBegin } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { whenGone } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { rejectMethod } from './reject-method.js'
import { sendAnswer } from './reply.js'

/**
 * Mounts plain JSON-RPC: one message per POST, one JSON answer; no session, no event stream. Headers are not checked, and do
 * not affect the choice of the era.
 */
export function mountRpc(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  const { limits } = endpoint.server
  scope.post(path, { bodyLimit: limits.maxMessageBytes }, createRpcHandler(endpoint))
  const reject = rejectMethod('POST')
  const others = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  scope.route({ method: others, url: path, onRequest: reject, handler: reject })
}

function createRpcHandler(endpoint: EndpointOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.body === undefined) throw bodyEmpty()
    await readyToBegin(reply, endpoint.server)
    new RpcExchange(request, reply, endpoint).serve()
    return reply
  }
}

/** The exchange of one message, answered as plain JSON. */
class RpcExchange extends Exchange {
  override canNotify = false
  readonly #requests: number

  /** @throws LimitError */
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly endpoint: EndpointOptions,
  ) {
    super({
      message: request.body,
      headers: null,
      contextHeaders: request.headers,
      principal: principalOf(request),
      transport: 'http',
      log: request.log as never,
    })
    this.#requests = endpoint.server.inFlight.enter(request.body)
  }

  serve(): void {
    this.endpoint.server.receive(this)
    if (!this.isAnswered) whenGone(this.reply, () => this.disconnected())
  }

  protected sendAnswer(answer: Answer): void {
    this.endpoint.server.inFlight.leave(this.#requests)
    if (isLong(answer.body)) void this.#sendInTurn(answer)
    else this.#send(answer)
  }

  protected sendMessage(): void {}

  crash(error: unknown): void {
    this.endpoint.server.inFlight.leave(this.#requests)
    this.answered()
    this.reply.send(error)
  }

  override get address(): string {
    return this.request.ip
  }

  async #sendInTurn(answer: Answer): Promise<void> {
    try {
      this.#send(await inTurn(answer))
    } catch (error) {
      this.reply.send(error)
    }
  }

  #send(answer: Answer): void {
    // In plain JSON-RPC, an answer without a body has the status 204.
    sendAnswer(this.reply, answer.body === null ? { ...answer, status: 204 } : answer, this.endpoint)
  }
}
