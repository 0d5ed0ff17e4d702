import type { Principal } from '@toolwright/core'
import {
  type Answer,
  cancelled,
  type DeferredTask,
  Exchange,
  type ExchangeInit,
  inTurn,
  isLong,
  type RequestStream,
} from '@toolwright/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointOptions } from '../options.js'
import { readyToBegin } from '../pipelined-calls.js'
import { principalOf } from '../security/principal.js'
import { sendEvents } from '../streams/event-frames.js'
import { EventStream, sendStream } from '../streams/event-stream.js'
import { isClosed, whenClosed, whenGone } from '../streams/when-closed.js'
import { type Accepted, readAccept } from './accept.js'
import { bodyEmpty } from './errors.js'
import { sendAnswer } from './send-answer.js'

/** One exchange per POST. The answer is plain JSON, unless something has to be sent before it. */
export function createPostHandler(endpoint: EndpointOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (request.body === undefined) throw bodyEmpty()
    const ready = readyToBegin(reply, endpoint.server)
    if (ready === null) new PostResponse(request, reply, endpoint).serve()
    else void serveWhen(ready, request, reply, endpoint)
  }
}

async function serveWhen(
  ready: Promise<void>,
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: EndpointOptions,
): Promise<void> {
  try {
    await ready
    new PostResponse(request, reply, endpoint).serve()
  } catch (error) {
    reply.send(error)
  }
}

/**
 * What goes back for one POST. Decides as late as possible between JSON and a stream of events: a status can only be set
 * before the first byte.
 */
class PostResponse implements ExchangeInit, DeferredTask {
  readonly message: unknown
  readonly headers: FastifyRequest['headers']
  readonly principal: Principal | null
  readonly log: ExchangeInit['log']
  readonly peer = null
  readonly sessions: ExchangeInit['sessions']
  readonly canNotify: boolean
  readonly #exchange: Exchange
  readonly #accepted: Accepted
  /** Of the message, while they count as in flight. */
  #requests: number
  #stream: EventStream | RequestStream | null = null
  /** Where it is still to be opened. */
  #opening: NodeJS.Immediate | undefined
  /** Until the client has waited for `keepAliveMs`. */
  #silence: NodeJS.Timeout | undefined
  #isSilent = false
  #hasStarted = false
  /** The client was told so, or is about to be: whatever still comes of the call is not sent a second time. */
  #hasFailed = false

  /** @throws ProtocolError (406), LimitError */
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly endpoint: EndpointOptions,
  ) {
    const { server } = endpoint
    this.message = request.body
    this.headers = request.headers
    this.principal = principalOf(request)
    this.log = request.log as never
    this.sessions = endpoint.sessions ? server.sessions : null
    this.#accepted = readAccept(request.headers.accept)
    this.canNotify = this.#accepted.events
    this.#requests = server.inFlight.enter(request.body)
    this.#exchange = new Exchange(this)
  }

  serve(): void {
    const answer = this.#receive()
    if (!(answer instanceof Promise)) {
      this.#answer(answer)
      return
    }
    // While a hook of the application took its time.
    if (isClosed(this.reply)) this.#exchange.disconnected()
    this.#exchange.deferred.run(this)
    // Not handed on: Fastify would wait for that promise after it has the answer.
    void this.#answerLater(answer)
  }

  /** Most answers are there before the event loop turns, and until then nobody goes unseen. */
  runDeferred(): void {
    whenGone(this.reply, () => this.#exchange.disconnected())
    if (this.canNotify) this.#silence = setTimeout(() => this.#onSilence(), this.endpoint.keepAliveMs).unref()
  }

  /**
   * Clients and proxies give up on a response that sends nothing, Node's fetch after 300 seconds: a call that lasts is
   * answered with a stream, which comments keep alive. Before the handler runs the call may still be refused with a status.
   */
  #onSilence(): void {
    this.#isSilent = true
    if (this.#hasStarted) this.#openEarly()
  }

  #receive(): Answer | Promise<Answer> {
    try {
      return this.endpoint.server.receive(this.#exchange)
    } catch (error) {
      this.#leave()
      throw error
    }
  }

  async #answerLater(answer: Promise<Answer>): Promise<void> {
    try {
      this.#answer(await answer)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#stopWaiting()
    this.#leave()
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#exchange.answered()
    this.reply.send(error)
  }

  notify(json: string): void {
    if (this.canNotify) this.#openStream().send(json)
  }

  /** Only a client that was told where it is can come back. */
  closeStream(): void {
    const { session } = this.#exchange
    if (!this.canNotify || session?.streams.primes !== true) return
    const stream = this.#openStream()
    if (!(stream instanceof EventStream)) stream.disconnect()
  }

  address(): string {
    return this.request.ip
  }

  onListen(): void {
    this.#leave()
  }

  /**
   * Opened before the answer: only a client that knows where it is can come back for it. Not for an answer of the same turn
   * of the event loop, which may be a refusal and has a status then.
   */
  onStarted(): void {
    this.#hasStarted = true
    if (this.#wantsStream || this.#isSilent) this.#opening ??= setImmediate(() => this.#openEarly())
  }

  #openEarly(): void {
    if (this.#stream !== null || isClosed(this.reply)) return
    try {
      const stream = this.#openStream()
      if (stream instanceof EventStream) stream.keepAlive()
    } catch (error) {
      this.#fail(error)
    }
  }

  get #wantsStream(): boolean {
    return this.endpoint.streamAnswers && this.canNotify && this.#exchange.session !== null
  }

  #leave(): void {
    this.endpoint.server.inFlight.leave(this.#requests)
    this.#requests = 0
  }

  #stopWaiting(): void {
    clearImmediate(this.#opening)
    clearTimeout(this.#silence)
  }

  #answer(answer: Answer): void {
    this.#stopWaiting()
    this.#exchange.deferred.cancel()
    this.#leave()
    if (isLong(answer.body)) void this.#sendInTurn(answer)
    else this.#send(answer)
  }

  async #sendInTurn(answer: Answer): Promise<void> {
    try {
      this.#send(await inTurn(answer))
    } catch (error) {
      this.reply.send(error)
    }
  }

  #send(answer: Answer): void {
    if (this.#hasFailed) return
    // A client that cancelled its request gets a stream without a message.
    if (answer === cancelled) this.#stream ??= this.#openPlainStream()
    // For a client that takes nothing but events, a good answer is an event too.
    const isStreamed = !this.#accepted.json || this.#wantsStream
    if (isStreamed && answer.status === 200) this.#openStream()
    if (this.#stream === null) sendAnswer(this.reply, answer, this.endpoint)
    else this.#stream.end(answer.body?.toString() ?? null)
  }

  #openStream(): EventStream | RequestStream {
    this.#stream ??= this.#openSessionStream() ?? this.#openPlainStream()
    return this.#stream
  }

  /** Kept as well as sent: a session's client may come back for what it missed. */
  #openSessionStream(): RequestStream | null {
    const { session } = this.#exchange
    if (session === null) return null
    whenClosed(this.reply, () => this.#closed())
    const stream = session.streams.open()
    sendEvents(this.reply, stream.reader, this.endpoint)
    return stream
  }

  /** Of a stream that could not begin, the client was told: its next try is not to run beside this one. */
  #closed(): void {
    if (this.reply.statusCode === 503) this.#exchange.refused()
  }

  #openPlainStream(): EventStream {
    const { reply, endpoint } = this
    const exchange = this.#exchange
    const stream = new EventStream(reply, endpoint.server, endpoint.keepAliveMs)
    if (exchange.newSessionId !== null) reply.header('mcp-session-id', exchange.newSessionId)
    endpoint.closing.endWith(reply, () => exchange.closing())
    sendStream(reply, stream.readable, endpoint)
    return stream
  }
}
