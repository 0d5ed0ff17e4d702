import type { RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { TransportName } from '../context/viewer.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { callerKey } from '../limits/caller-key.js'
import type { Answer } from '../protocol/answer.js'
import { Exchange, type ExchangeInit, type TransportHooks } from '../protocol/exchange.js'
import { Peer } from '../protocol/peer.js'
import { countRequests, type ExactId, errorResponse, isRequestId, readMessage } from '../rpc/messages.js'
import type { RunningServer } from '../server/running-server.js'
import { Pace } from '../timing/pace.js'
import { yieldToEventLoop } from '../timing/yield-to-event-loop.js'
import { isLong } from './long-messages.js'
import { Outbox } from './outbox.js'

interface ConnectionOptions {
  /** Name of the transport. Default: none. Without a name, features with the option `transports` are not served. */
  readonly transport?: TransportName
  /** Sends notifications and the server's requests. Default: these messages are sent through the output. */
  readonly notify?: (json: string) => void
  /** Returns the client's network address, for limits per caller. Left out if there is only one client. */
  readonly address?: () => string
  /** Headers of the request that opened the connection. Left out if the transport has no headers. */
  readonly headers?: RequestHeaders
}

/** The connection of one client over a two-way channel: stdio, WebSocket, HTTP+SSE or in memory. */
export class Connection {
  /**
   * Number of requests in flight, including requests in batches. Subscriptions are not counted, because they have separate
   * limits.
   */
  inFlight = 0
  readonly #peer: Peer
  readonly #running = new Map<ConnectionExchange, Promise<void>>()
  readonly #notify: (json: string) => void
  readonly #address: (() => string) | undefined
  readonly #headers: RequestHeaders | null
  readonly #pace = new Pace()
  readonly #outbox: Outbox | null
  readonly #send: (json: string) => void
  #isExpired = false

  /**
   * @param output Sends messages at the pace of the client. A function sends each response at once: use a function only if the
   * client cannot be slower than the server.
   */
  constructor(
    private readonly server: RunningServer,
    output: Outbox | ((json: string) => void),
    private readonly principal: Principal | null,
    { transport, notify, address, headers }: ConnectionOptions = {},
  ) {
    const outbox = output instanceof Outbox ? output : null
    this.#outbox = outbox
    this.#send = output instanceof Outbox ? (json) => void output.respond(json) : output
    this.#notify = notify ?? (output instanceof Outbox ? (json) => output.send(json) : output)
    outbox?.whenFull(this.#pace)
    this.#address = address
    this.#headers = headers ?? null
    const caller = callerKey(principal, address?.() ?? null)
    this.#peer = new Peer({ send: this.#notify }, server.subscriptionQuota, caller, transport ?? null)
  }

  /**
   * Serves a message in the background, so that a slow call does not block others.
   *
   * @param principal Sender of the message, if the transport authenticates each message. Default: the principal of the
   * connection.
   * @param headers Headers of the message, if each message has headers. Default: the headers of the request that opened
   * the connection.
   */
  receive(message: unknown, principal: Principal | null = this.principal, headers = this.#headers): void {
    if (this.#isExpired && startsRequest(message)) {
      this.#send(errorResponse(idOf(message), expired()))
      return
    }
    this.#begin(message, principal, headers)
  }

  /** Checks that a request can start. @throws ProtocolError when the credentials of the connection have expired. */
  checkStart(): void {
    if (this.#isExpired) throw expired()
  }

  #begin(message: unknown, principal: Principal | null, headers: RequestHeaders | null): void {
    const { server } = this
    const peer = this.#peer
    const { transport } = peer
    let requests = countRequests(message)
    let isPaced = requests > 0 || this.#startsSilentCall(message)
    this.inFlight += requests
    const leave = (): void => {
      this.inFlight -= requests
      if (isPaced) this.#pace.ended()
      requests = 0
      isPaced = false
    }
    const exchange = new ConnectionExchange(
      { message, headers: null, sender: { principal, transport, headers, log: server.log }, peer },
      { notify: this.#notify, address: this.#address, leave },
    )
    if (isPaced) this.#pace.started()
    const running = this.#serve(exchange)
      .catch((error: unknown) => logFailure(server.log, error, {}, 'a message could not be answered'))
      .finally(() => {
        leave()
        this.#running.delete(exchange)
      })
    this.#running.set(exchange, running)
  }

  /**
   * Whether a message without a response starts a call. The next message then waits for the next turn of the event loop: the size
   * of the result, which is not sent, could not delay it.
   */
  #startsSilentCall(message: unknown): boolean {
    if (!this.server.startsCall(message)) return false
    this.#pace.hold()
    setImmediate(() => this.#pace.release())
    return true
  }

  /**
   * Waits until the next message can be received; `null` if the message can be received now. Many messages can arrive in one
   * chunk, and their results must not all be in memory at once. Also waits while the client reads too slowly.
   */
  readyForNext(): Promise<void> | null {
    return this.#pace.next()
  }

  /** Resolves when no request is in flight, and no response waits for the client to read. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values())
    await this.#outbox?.flushed()
  }

  /** Cancels all requests in flight, because the client is gone. */
  gone(reason: string): void {
    this.#outbox?.close()
    this.#peer.gone(reason)
  }

  /** Ends subscriptions and other open-ended requests, because the transport is about to close. */
  closing(): void {
    for (const { call } of this.#running.keys()) call?.closing()
  }

  /** Fails all client requests, because the client can no longer answer. */
  inputEnded(): void {
    this.#peer.clientRequests.abandon()
  }

  /**
   * Handles the expiry of the connection's credentials: rejects new requests, and stops notifications of changes. Running
   * requests continue, because they were authorized when they began. Resolves when all running requests are answered.
   */
  expire(): Promise<void> {
    this.#isExpired = true
    this.closing()
    this.#peer.stopNotifications()
    return this.idle()
  }

  /** Handles a lost connection. The era of each request decides whether the request is cancelled. */
  disconnected(): void {
    this.#outbox?.close()
    for (const exchange of this.#running.keys()) exchange.disconnected()
    this.inputEnded()
    this.#peer.stopNotifications()
  }

  async #serve(exchange: ConnectionExchange): Promise<void> {
    const { body } = await exchange.served(this.server)
    if (body === null) return
    if (isLong(body)) {
      this.#pace.hold()
      await yieldToEventLoop('answer')
      this.#pace.release()
    }
    const json = body.toString()
    if (this.#outbox === null) this.#send(json)
    else if (!this.#outbox.respond(json)) this.#drop(exchange)
  }

  /** Answers with an error instead of a result, because too many results are unread. */
  #drop({ message }: ConnectionExchange): void {
    this.server.cutStreams.count++
    this.#outbox?.send(errorResponse(idOf(message), tooSlow()))
  }
}

interface ConnectionLink {
  readonly notify: (json: string) => void
  readonly address: (() => string) | undefined
  readonly leave: () => void
}

class ConnectionExchange extends Exchange implements TransportHooks {
  #resolve: (answer: Answer) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(
    init: ExchangeInit,
    private readonly link: ConnectionLink,
  ) {
    super(init)
    this.hooks = this
  }

  served(server: RunningServer): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      server.receive(this)
    })
  }

  protected sendAnswer(answer: Answer): void {
    this.#resolve(answer)
  }

  send(json: string): void {
    this.link.notify(json)
  }

  crash(error: unknown): void {
    this.#reject(error)
  }

  override get address(): string | null {
    return this.link.address?.() ?? null
  }

  openEnded(): void {
    this.link.leave()
  }
}

/**
 * Whether a message starts a request. After expiry, responses and notifications are accepted, because running calls can wait for
 * these messages.
 */
function startsRequest(message: unknown): boolean {
  const { kind } = readMessage(message)
  return kind !== 'response' && kind !== 'notification'
}

function expired(): ProtocolError {
  return new ProtocolError(
    'unauthorized',
    'Unauthorized: the credentials of this connection have expired. Reconnect with new credentials',
  )
}

function tooSlow(): LimitError {
  return new LimitError(
    'unavailable',
    'The response was dropped: too many responses are unread. Read faster, or send fewer requests at once',
  )
}

function idOf(message: unknown): ExactId | undefined {
  const { id } = (message ?? {}) as { readonly id?: unknown }
  return isRequestId(id) ? id : undefined
}
