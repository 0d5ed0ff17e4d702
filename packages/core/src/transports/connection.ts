import type { RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { callerKey } from '../limits/caller-key.js'
import { type Answer, Exchange, type ExchangeInit } from '../protocol/exchange.js'
import { Peer } from '../protocol/peer.js'
import { type ExactId, errorResponse, isRequestId, readMessage } from '../rpc/messages.js'
import type { RunningServer } from '../server/running-server.js'
import { Pace } from '../timing/pace.js'
import { yieldToEventLoop } from '../timing/yield-to-event-loop.js'
import { isLong } from './long-messages.js'

interface ConnectionOptions {
  /** Sends what comes before answers or belongs to none. Default: as they are sent. */
  readonly notify?: (json: string) => void
  /** Where the client calls from, for limits by caller. Left out where there is one client only. */
  readonly address?: () => string
  /** With which it was opened. Left out where there are none. */
  readonly headers?: RequestHeaders
}

/** One client at the other end of a two-way channel: what stdio and the in-memory transport have in common. */
export class Connection {
  readonly #peer: Peer
  readonly #running = new Map<ConnectionExchange, Promise<void>>()
  readonly #notify: (json: string) => void
  readonly #address: (() => string) | undefined
  readonly #headers: RequestHeaders | undefined
  readonly #pace: Pace
  #isExpired = false
  #inFlight = 0

  /** @param send For answers, which are waited for. */
  constructor(
    private readonly server: RunningServer,
    private readonly send: (json: string) => void,
    private readonly principal: Principal | null,
    { notify = send, address, headers }: ConnectionOptions = {},
  ) {
    this.#notify = notify
    this.#address = address
    this.#headers = headers
    this.#pace = new Pace(server.limits.maxBufferedBytes)
    this.#peer = new Peer({ send: notify }, server.subscriptionQuota, callerKey(principal, address?.() ?? null))
  }

  /**
   * Serves a message in the background: a slow call holds up no other.
   *
   * @param principal Who sent it, where each message says so by itself. Default: whose connection it is.
   * @param contextHeaders Those of the message, where each has its own. Default: those that the connection was opened with.
   */
  receive(message: unknown, principal: Principal | null = this.principal, contextHeaders = this.#headers): void {
    if (this.#isExpired && beginsSomething(message)) {
      this.send(errorResponse(idOf(message), expired()))
      return
    }
    const requests = this.#enter(message)
    if (requests !== null) this.#begin(message, requests, principal, contextHeaders)
  }

  /** @returns `null` for a message that there is no room for, which is answered. */
  #enter(message: unknown): number | null {
    try {
      return this.server.inFlight.enter(message)
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      this.send(errorResponse(idOf(message), error))
      return null
    }
  }

  /** @param requests How many it counts for. */
  #begin(
    message: unknown,
    requests: number,
    principal: Principal | null,
    contextHeaders: RequestHeaders | undefined,
  ): void {
    const { server } = this
    let entered = requests
    this.#inFlight += requests
    const leave = (): void => {
      server.inFlight.leave(entered)
      this.#inFlight -= entered
      if (entered > 0) this.#pace.ended()
      entered = 0
    }
    const exchange = new ConnectionExchange(
      { message, headers: null, contextHeaders, principal, log: server.log, peer: this.#peer },
      { notify: this.#notify, address: this.#address, leave },
    )
    if (requests > 0) this.#pace.started()
    const running = this.#serve(exchange).finally(leave)
    this.#running.set(exchange, running)
    void running
      .catch((error: unknown) => logFailure(server.log, error, {}, 'a message could not be answered'))
      .finally(() => this.#running.delete(exchange))
  }

  /**
   * Waits until the next message may be received: many of them can come in one piece, and what they are answered with is not to
   * be held all at once. `null` where it may at once.
   */
  readyForNext(): Promise<void> | null {
    return this.#pace.next()
  }

  /** Requests that are being served, those in batches included. Subscriptions are none: they have limits of their own. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }

  /** There is nobody left to answer: cancels whatever is in flight. */
  gone(reason: string): void {
    this.#peer.gone(reason)
  }

  /** The transport is about to close: ends what would never end by itself. */
  closing(): void {
    for (const exchange of this.#running.keys()) exchange.closing()
  }

  /** Nothing more comes from the client, which may still read: no call waits for what it would have answered. */
  inputEnded(): void {
    this.#peer.clientRequests.abandon()
  }

  /**
   * The credentials that it was opened with are over: nothing begins any more, and nothing is told of changes. What runs
   * goes on, because that was decided when it began. Resolves when all of that is answered.
   */
  expire(): Promise<void> {
    this.#isExpired = true
    this.closing()
    this.#peer.fallSilent()
    return this.idle()
  }

  /** The client went away without a word. The era of each request decides whether that cancels it. */
  disconnected(): void {
    for (const exchange of this.#running.keys()) exchange.disconnected()
    this.#peer.disconnected()
  }

  async #serve(exchange: ConnectionExchange): Promise<void> {
    const { body } = await exchange.served(this.server)
    if (body === null) return
    if (isLong(body)) {
      this.#pace.hold(body.length)
      await yieldToEventLoop('answer')
      this.#pace.release(body.length)
    }
    this.send(body.toString())
  }
}

interface ConnectionLink {
  readonly notify: (json: string) => void
  readonly address: (() => string) | undefined
  /** The request no longer counts as in flight. */
  readonly leave: () => void
}

/** One message on a connection. */
class ConnectionExchange extends Exchange {
  #resolve: (answer: Answer) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(
    init: ExchangeInit,
    private readonly link: ConnectionLink,
  ) {
    super(init)
  }

  /** Has the message served. @returns The answer. */
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

  protected sendMessage(json: string): void {
    this.link.notify(json)
  }

  crash(error: unknown): void {
    this.#reject(error)
  }

  override get address(): string | null {
    return this.link.address?.() ?? null
  }

  protected override lasts(): void {
    this.link.leave()
  }
}

/** A call in flight may wait for what the client answers and notifies. */
function beginsSomething(message: unknown): boolean {
  const { kind } = readMessage(message)
  return kind !== 'response' && kind !== 'notification'
}

function expired(): ProtocolError {
  return new ProtocolError(
    'unauthorized',
    'Unauthorized: the credentials of this connection have expired. Connect again',
  )
}

function idOf(message: unknown): ExactId | undefined {
  const { id } = (message ?? {}) as { readonly id?: unknown }
  return isRequestId(id) ? id : undefined
}
