import { ProtocolError } from '@toolwright/core'
import {
  type Answer,
  cancelled,
  type DeferredTask,
  Exchange,
  inTurn,
  isLong,
  type RequestStream,
} from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readyToBegin } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { sendEvents } from '../streams/event-frames.js'
import { EventStream, sendStream } from '../streams/event-stream.js'
import { isClosed, whenClosed, whenGone } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { sendAnswer } from './reply.js'

/** One exchange per POST. The answer is plain JSON, unless something has to be sent before it. */
export function createPostHandler(endpoint: EndpointOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (request.body === undefined) throw bodyEmpty()
    const ready = readyToBegin(reply, endpoint.server)
    if (ready === null) new PostExchange(request, reply, endpoint).serve()
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
    new PostExchange(request, reply, endpoint).serve()
  } catch (error) {
    reply.send(error)
  }
}

/**
 * The exchange of one POST. Decides as late as possible between JSON and a stream of events: a status can only be set before
 * the first byte.
 */
class PostExchange extends Exchange implements DeferredTask {
  readonly #accepted: Accepted
  /** Requests of the message, while they count as in flight. */
  #requests: number
  #stream: EventStream | RequestStream | null = null
  #hasFailed = false
  /** Set while the stream is still to be opened. */
  #opening: NodeJS.Immediate | undefined
  /** Runs until the client has waited for `keepAliveMs`. */
  #silence: NodeJS.Timeout | undefined
  #isSilent = false
  #hasStarted = false

  /** @throws ProtocolError (406), LimitError */
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly endpoint: EndpointOptions,
  ) {
    const { server } = endpoint
    super({
      message: request.body,
      headers: request.headers,
      principal: principalOf(request),
      log: request.log as never,
      sessions: endpoint.sessions ? server.sessions : null,
    })
    this.#accepted = readAccept(request.headers.accept)
    this.canNotify = this.#accepted.events
    this.#requests = server.inFlight.enter(request.body)
  }

  serve(): void {
    this.endpoint.server.receive(this)
    if (this.isAnswered) return
    // The client may have left while a hook of the application took its time.
    if (isClosed(this.reply)) this.disconnected()
    this.deferred.run(this)
  }

  /** Most answers are there before the event loop turns, and until then nobody goes unseen. */
  runDeferred(): void {
    whenGone(this.reply, () => this.disconnected())
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

  /** Where the answer cannot be sent as it is, an error is sent instead; what still comes of the call is dropped. */
  crash(error: unknown): void {
    this.#stopWaiting()
    this.#leave()
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.answered()
    this.reply.send(error)
  }

  protected sendMessage(json: string): void {
    if (this.canNotify) this.#openStream().send(json)
  }

  /** Only a client that was told where it is can come back. */
  protected override cutStream(): void {
    const { session } = this
    if (!this.canNotify || session?.streams.primes !== true) return
    const stream = this.#openStream()
    if (!(stream instanceof EventStream)) stream.disconnect()
  }

  override get address(): string {
    return this.request.ip
  }

  protected override lasts(): void {
    this.#leave()
  }

  /**
   * Opened before the answer: only a client that knows where it is can come back for it. Not for an answer of the same turn
   * of the event loop, which may be a refusal and has a status then.
   */
  override started(): void {
    this.#hasStarted = true
    if (this.#wantsStream || this.#isSilent) this.#opening ??= setImmediate(() => this.#openEarly())
  }

  #openEarly(): void {
    if (this.#stream !== null || isClosed(this.reply)) return
    try {
      const stream = this.#openStream()
      if (stream instanceof EventStream) stream.keepAlive()
    } catch (error) {
      this.crash(error)
    }
  }

  get #wantsStream(): boolean {
    return this.endpoint.streamAnswers && this.canNotify && this.session !== null
  }

  #leave(): void {
    this.endpoint.server.inFlight.leave(this.#requests)
    this.#requests = 0
  }

  #stopWaiting(): void {
    clearImmediate(this.#opening)
    clearTimeout(this.#silence)
  }

  protected sendAnswer(answer: Answer): void {
    this.#stopWaiting()
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
    const { session } = this
    if (session === null) return null
    whenClosed(this.reply, () => this.#closed())
    const stream = session.streams.open()
    sendEvents(this.reply, stream.reader, this.endpoint)
    return stream
  }

  /** Of a stream that could not begin, the client was told: its next try is not to run beside this one. */
  #closed(): void {
    if (this.reply.statusCode === 503) this.refused()
  }

  #openPlainStream(): EventStream {
    const { reply, endpoint } = this
    const stream = new EventStream(reply, endpoint.server, endpoint.keepAliveMs)
    if (this.newSessionId !== null) reply.header('mcp-session-id', this.newSessionId)
    endpoint.closing.endWith(reply, () => this.closing())
    sendStream(reply, stream.readable, endpoint)
    return stream
  }
}

/** What kinds of response the client takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

const both: Accepted = Object.freeze({ json: true, events: true })

/** What the official clients send. */
const usual = 'application/json, text/event-stream'

const anyJson = new Set(['application/json', 'application/*', '*/*'])
const anyEvents = new Set(['text/event-stream', 'text/*', '*/*'])

/**
 * Reads the `Accept` header. The spec wants both kinds listed; a client that lists one gets that one, and a client that
 * lists neither can be told nothing.
 *
 * @throws ProtocolError (406)
 */
export function readAccept(header: string | undefined): Accepted {
  if (header === undefined || header === usual) return both
  const ranges = header.toLowerCase().split(',').filter(isWanted).map(typeOf)
  const json = ranges.some((range) => anyJson.has(range))
  const events = ranges.some((range) => anyEvents.has(range))
  if (json || events) return { json, events }
  throw new ProtocolError('notAcceptable', 'Not Acceptable: accept application/json and text/event-stream')
}

function typeOf(range: string): string {
  return (range.split(';', 1)[0] as string).trim()
}

/** `q=0` is how a client says what it does not take. */
function isWanted(range: string): boolean {
  return !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range)
}
