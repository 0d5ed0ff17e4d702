import { ProtocolError } from '@toolwright/core'
import {
  CallCancelled,
  cancelled,
  encodeLongAnswer,
  isLong,
  Session,
  type SessionStream,
  type TransportHooks,
} from '@toolwright/core/host'
import { type Answer, Exchange } from '@toolwright/core/transport'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readyToBegin } from '../connections/pipelining.js'
import type { EndpointOptions } from '../options.js'
import { principalOf } from '../security/principal.js'
import { sendEvents } from '../streams/event-frames.js'
import { EventStream, sendStream } from '../streams/event-stream.js'
import { isClosed, whenClosed, whenGone } from '../streams/when-closed.js'
import { bodyEmpty } from './errors.js'
import { sendAnswer } from './reply.js'

/**
 * Creates the handler of POST, with one exchange per request. The answer is plain JSON, unless a message has to be sent
 * before it.
 */
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
 * The exchange for one POST. Chooses between JSON and an event stream as late as possible: the status cannot change
 * after the first byte.
 */
class PostExchange extends Exchange implements TransportHooks {
  readonly #accepted: Accepted
  #stream: EventStream | SessionStream | null = null
  #hasFailed = false
  #watching: NodeJS.Immediate | undefined
  #opening: NodeJS.Immediate | undefined
  /** Fires after `keepAliveMs` without an answer. */
  #silence: NodeJS.Timeout | undefined
  #isSilent = false
  #hasStarted = false

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly endpoint: EndpointOptions,
  ) {
    const { body: message, headers, log } = request
    super({
      message,
      headers,
      sender: { principal: principalOf(request), transport: 'http', headers, log: log as never },
    })
    this.hooks = this
    this.#accepted = readAccept(request.headers.accept)
    this.canNotify = this.#accepted.events
  }

  serve(): void {
    this.endpoint.server.receive(this)
    if (this.isAnswered) return
    // The client may have left while a hook of the application took its time.
    if (isClosed(this.reply)) this.disconnected()
    // Most calls have ended by the next turn of the event loop.
    this.#watching = setImmediate(() => this.#watch())
  }

  #watch(): void {
    whenGone(this.reply, () => this.disconnected())
    if (this.canNotify) this.#silence = setTimeout(() => this.#onSilence(), this.endpoint.keepAliveMs).unref()
  }

  /**
   * Opens a stream for a long call, and keeps it alive with comments: clients and proxies close silent responses,
   * Node's fetch after 300 seconds. Before the handler runs, no stream is opened, because the call may still be
   * rejected with a status.
   */
  #onSilence(): void {
    this.#isSilent = true
    if (this.#hasStarted) this.#openEarly()
  }

  /** Sends an error if the answer cannot be sent. Later messages of the call are dropped. */
  crash(error: unknown): void {
    this.#stopWaiting()
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.isAnswered = true
    this.admission?.leave()
    this.reply.send(error)
  }

  send(json: string): void {
    if (this.canNotify) this.#openStream().send(json)
  }

  /** Cuts the stream only if the client has an event id to resume from. */
  cutStream(): void {
    if (!this.canNotify || this.#session?.hasPriming !== true) return
    const stream = this.#openStream()
    if (!(stream instanceof EventStream)) stream.disconnect()
  }

  override get address(): string {
    return this.request.ip
  }

  /**
   * Opens the stream before the answer, so that the client has an event id to resume from. Waits for the next turn of
   * the event loop: an earlier answer may be an error, which needs a status.
   */
  started(): void {
    this.#hasStarted = true
    if (this.#isSilent || (this.endpoint.streamAnswers && this.#isInSession))
      this.#opening ??= setImmediate(() => this.#openEarly())
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

  get #isInSession(): boolean {
    return this.canNotify && this.#session !== null
  }

  get #session(): Session | null {
    return this.peer instanceof Session ? this.peer : null
  }

  get opensSessions(): boolean {
    return this.endpoint.sessions
  }

  #stopWaiting(): void {
    clearImmediate(this.#watching)
    clearImmediate(this.#opening)
    clearTimeout(this.#silence)
  }

  protected sendAnswer(answer: Answer): void {
    this.#stopWaiting()
    if (isLong(answer.body)) void this.#sendInTurn(answer)
    else this.#send(answer)
  }

  async #sendInTurn(answer: Answer): Promise<void> {
    try {
      this.#send(await encodeLongAnswer(answer))
    } catch (error) {
      this.reply.send(error)
    }
  }

  #send(answer: Answer): void {
    if (this.#hasFailed) return
    // A client that cancelled its request gets a stream without a message.
    if (answer === cancelled) this.#stream ??= this.#openPlainStream(undefined)
    // A client that accepts only events gets a successful answer as an event.
    const isStreamed = !this.#accepted.json || (this.endpoint.streamAnswers && this.#isInSession)
    if (isStreamed && answer.status === 200) this.#openStream(answer.sessionId)
    if (this.#stream === null) sendAnswer(this.reply, answer, this.endpoint)
    else this.#stream.end(answer.body?.toString() ?? null)
  }

  #openStream(sessionId?: string): EventStream | SessionStream {
    this.#stream ??= this.#openSessionStream() ?? this.#openPlainStream(sessionId)
    return this.#stream
  }

  /** Opens a stream that is stored as well as sent, so that the client of a session can resume it. */
  #openSessionStream(): SessionStream | null {
    const session = this.#session
    if (session === null) return null
    whenClosed(this.reply, () => this.#closed())
    const stream = session.openStream()
    sendEvents(this.reply, stream.reader, this.endpoint)
    return stream
  }

  /** Cancels the call if its stream could not begin. The client got a 503, and may already repeat the call. */
  #closed(): void {
    if (this.reply.statusCode === 503)
      this.call?.cancellation.cancel(new CallCancelled('the client was asked to retry'))
  }

  #openPlainStream(sessionId: string | undefined): EventStream {
    const { reply, endpoint } = this
    const stream = new EventStream(reply, endpoint.server, endpoint.keepAliveMs)
    if (sessionId !== undefined) reply.header('mcp-session-id', sessionId)
    endpoint.closing.endWith(reply, () => this.call?.closing())
    sendStream(reply, stream.readable, endpoint)
    return stream
  }
}

export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

const both: Accepted = Object.freeze({ json: true, events: true })

const usual = 'application/json, text/event-stream'

const anyJson = new Set(['application/json', 'application/*', '*/*'])
const anyEvents = new Set(['text/event-stream', 'text/*', '*/*'])

/**
 * Reads the `Accept` header. The spec requires both types. A client that lists only one type gets that type. A client
 * that lists neither type is rejected.
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

/** Whether a media range is acceptable: its weight is not `q=0`. */
function isWanted(range: string): boolean {
  return !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range)
}
