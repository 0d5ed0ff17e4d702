import { ProtocolError } from '@toolwright/core'
import { encodeLongAnswer, isLong, requireNoPromise, yieldToEventLoop } from '@toolwright/core/host'
import { type Answer, Exchange, errorResponse } from '@toolwright/core/transport'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readyToBegin } from '../connections/pipelining.js'
import type { RpcEndpoint } from '../mount/mount-options.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { whenGone } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { rejectMethod } from './reject-method.js'
import { sendAnswer, sendError } from './reply.js'

/**
 * Mounts plain JSON-RPC: one message per POST, and one JSON answer, without sessions and event streams. Headers are not
 * checked, and do not affect the choice of the era.
 */
export function mountRpc(scope: FastifyInstance, path: string, endpoint: EndpointOptions): void {
  mount(scope, path, endpoint, null)
}

export function mountEncodedRpc(scope: FastifyInstance, encoded: RpcEndpoint, endpoint: EndpointOptions): void {
  mount(scope, encoded.path, endpoint, encoded)
}

function mount(scope: FastifyInstance, path: string, endpoint: EndpointOptions, encoded: RpcEndpoint | null): void {
  const { server } = endpoint
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const isMalformed = error instanceof ProtocolError && error.kind === 'parseError'
    if (encoded === null || !isMalformed) sendError(error, request, reply, server)
    else {
      try {
        sendEncoded(reply, { status: error.status, body: errorResponse(undefined, error) }, endpoint, encoded)
      } catch (thrown) {
        sendError(thrown, request, reply, server)
      }
    }
  }
  const { maxMessageBytes: bodyLimit } = server.limits
  scope.post(path, { bodyLimit, errorHandler }, createRpcHandler(endpoint, encoded))
  const reject = rejectMethod('POST')
  const others = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  scope.route({ method: others, url: path, onRequest: reject, handler: reject })
}

function createRpcHandler(endpoint: EndpointOptions, encoded: RpcEndpoint | null) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (request.body === undefined) throw bodyEmpty()
    await readyToBegin(reply, endpoint.server)
    new RpcExchange(request, reply, endpoint, encoded).serve()
    return reply
  }
}

/**
 * Statuses of answers that an endpoint encodes. Other statuses report a failed HTTP request, such as missing
 * credentials.
 */
const encodedStatus: readonly number[] = [200, 202, 400]

/** Sends an encoded answer. The status is 200, even if the answer is a JSON-RPC error. */
function sendEncoded(
  reply: FastifyReply,
  answer: Answer,
  endpoint: EndpointOptions,
  { contentType, encode }: RpcEndpoint,
): FastifyReply {
  if (!encodedStatus.includes(answer.status)) return sendAnswer(reply, answer, endpoint)
  const body = requireNoPromise(encode(answer.body?.toString() ?? null), 'encode of an rpcEndpoint')
  reply.header('cache-control', 'no-cache, no-transform').header('x-accel-buffering', 'no')
  return sendAnswer(reply, { ...answer, status: 200, body }, endpoint, contentType)
}

class RpcExchange extends Exchange {
  override canNotify = false

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly endpoint: EndpointOptions,
    private readonly encoded: RpcEndpoint | null,
  ) {
    const { body: message, headers, log } = request
    const principal = principalOf(request)
    super({ message, headers: null, sender: { principal, transport: 'http', headers, log: log as never } })
  }

  serve(): void {
    this.endpoint.server.receive(this)
    if (!this.isAnswered) whenGone(this.reply, () => this.disconnected())
  }

  protected sendAnswer(answer: Answer): void {
    if (isLong(answer.body)) void this.#sendInTurn(answer)
    else this.#send(answer)
  }

  send(): void {}

  crash(error: unknown): void {
    this.isAnswered = true
    this.reply.send(error)
  }

  override get address(): string {
    return this.request.ip
  }

  async #sendInTurn(answer: Answer): Promise<void> {
    try {
      if (this.encoded === null) this.#send(await encodeLongAnswer(answer))
      else {
        await yieldToEventLoop('answer')
        this.#send(answer)
      }
    } catch (error) {
      this.reply.send(error)
    }
  }

  #send(answer: Answer): void {
    const { reply, endpoint, encoded } = this
    if (encoded !== null) sendEncoded(reply, answer, endpoint, encoded)
    // In plain JSON-RPC, an answer without a body has the status 204.
    else sendAnswer(reply, answer.body === null ? { ...answer, status: 204 } : answer, endpoint)
  }
}
