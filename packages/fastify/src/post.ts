import { type Answer, Exchange, ProtocolError, type RequestStream } from '@toolwright/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readAccept } from './accept.js'
import { challengeCaller } from './challenge.js'
import { sendEvents } from './event-frames.js'
import { EventStream } from './event-stream.js'
import type { EndpointOptions } from './options.js'
import { principalOf } from './principal.js'
import { retryAfterSeconds, setRetryAfter } from './reply.js'

/** One exchange per POST. The answer is plain JSON, unless something has to be sent before it. */
export function createPostHandler(endpoint: EndpointOptions) {
  const { server, sessions, streamAnswers } = endpoint
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (request.body === undefined) throw new ProtocolError('parseError', 'Parse error: the body is empty')
    const accepted = readAccept(request.headers.accept)
    const leave = server.inFlight.enter(request.body)
    const wantsStream = streamAnswers && accepted.events
    const exchange = new Exchange({
      message: request.body,
      headers: request.headers,
      principal: principalOf(request),
      log: request.log as never,
      peer: null,
      sessions: sessions ? server.sessions : null,
      notify: (json) => {
        if (accepted.events) response.openStream().send(json)
      },
      closeStream: () => {
        if (accepted.events) response.disconnect()
      },
      canNotify: accepted.events,
      address: () => request.ip,
      onListen: leave,
      onBegun: () => {
        if (wantsStream && exchange.session !== null) response.openStream()
      },
    })
    const response = new PostResponse(reply, exchange, endpoint)
    const send = (answer: Answer): void => {
      leave()
      // For a client that takes nothing but events, a good answer is an event too.
      const isStreamed = !accepted.json || (wantsStream && exchange.session !== null)
      if (isStreamed && answer.status === 200) response.openStream()
      response.end(answer)
    }
    const answer = server.receive(exchange)
    if (!(answer instanceof Promise)) return send(answer)
    // Not `async`: Fastify would wait for the promise of this function after that of the answer.
    answer.then(send).catch((error: unknown) => {
      leave()
      reply.send(error)
    })
    // Opened before the answer: only a client that knows where it is can come back for it.
    if (wantsStream && exchange.session !== null && exchange.isServed) response.openStream()
    whenGone(reply, () => exchange.disconnected())
  }
}

/** Calls back when the client leaves before it has its whole answer. */
export function whenGone({ raw }: FastifyReply, callback: () => void): void {
  raw.once('close', () => {
    if (!raw.writableFinished) callback()
  })
}

/** Decides as late as possible between JSON and a stream of events: a status can only be set before the first byte. */
class PostResponse {
  #stream: EventStream | RequestStream | null = null

  constructor(
    private readonly reply: FastifyReply,
    private readonly exchange: Exchange,
    private readonly endpoint: EndpointOptions,
  ) {}

  openStream(): EventStream | RequestStream {
    this.#stream ??= this.#openSessionStream() ?? this.#openPlainStream()
    return this.#stream
  }

  /** Only a client that was told where it is can come back. */
  disconnect(): void {
    const { session } = this.exchange
    if (session?.streams.primes !== true) return
    const stream = this.openStream()
    if (!(stream instanceof EventStream)) stream.disconnect()
  }

  end(answer: Answer): FastifyReply {
    const { reply } = this
    if (this.#stream !== null) {
      this.#stream.end(answer.body?.toString() ?? null)
      return reply
    }
    if (this.endpoint.closing.hasBegun) reply.header('connection', 'close')
    if (answer.sessionId !== undefined) reply.header('mcp-session-id', answer.sessionId)
    if (answer.retryAfterMs !== undefined) setRetryAfter(reply, answer.retryAfterMs)
    else if (answer.status === 503) reply.header('retry-after', retryAfterSeconds)
    if (answer.status === 401 || answer.status === 403) challengeCaller(reply, answer, this.endpoint.challenges)
    reply.code(answer.status)
    if (answer.body === null) return reply.send()
    return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body)
  }

  /** Kept as well as sent: a session's client may come back for what it missed. */
  #openSessionStream(): RequestStream | null {
    const { session } = this.exchange
    if (session === null) return null
    const stream = session.streams.open()
    this.endpoint.closing.freeConnection(this.reply)
    sendEvents(this.reply, stream.reader, this.endpoint)
    return stream
  }

  #openPlainStream(): EventStream {
    const { reply, endpoint, exchange } = this
    const stream = new EventStream(endpoint.server.limits.maxBufferedBytes, endpoint.keepAliveMs)
    if (exchange.opened !== null) reply.header('mcp-session-id', exchange.opened)
    endpoint.closing.freeConnection(reply)
    endpoint.closing.endWith(reply, () => exchange.closing())
    reply.headers(EventStream.headers).send(stream.readable)
    return stream
  }
}
