import type { Logger } from 'pino'
import type { ClientRequester } from '../client-requests/client-request.js'
import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { ClientLink, RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { AuthenticationError } from '../errors/authentication-error.js'
import type { Permit } from '../limits/call-limiter.js'
import { callerKey } from '../limits/caller-key.js'
import { DeferredTasks } from '../timing/deferred-tasks.js'
import type { Session } from './legacy/sessions/session.js'
import type { Sessions } from './legacy/sessions/sessions.js'
import type { Peer } from './peer.js'
import type { ClientRequestSender } from './pending-client-requests.js'
import type { RequestCall } from './request-call.js'

/** Requests whose handlers may ask their client. Spec: basic/mrtr, "Supported Requests". */
export const clientRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** The facts that a transport knows about an inbound message. */
export interface ExchangeInit {
  /** Parsed JSON; hostile until it is checked. */
  readonly message: unknown
  /** Headers that the protocol reads; `null` on transports without any. */
  readonly headers: RequestHeaders | null
  /** Headers that handlers and hooks see. Default: the same. */
  readonly contextHeaders?: RequestHeaders | undefined
  readonly principal: Principal | null
  /** Carries what identifies the message in the transport's own log lines. */
  readonly log: Logger
  /** The other end of a connection or session. Default: each message stands alone. */
  readonly peer?: Peer | null
  /** Where `initialize` opens a session. Default: the transport has no sessions. */
  readonly sessions?: Sessions | null
}

/**
 * One inbound message, its sender, and the way to answer it. A transport extends this class: `sendAnswer` and `sendMessage`
 * are all that it has to implement.
 */
export abstract class Exchange implements ClientLink, ClientRequestSender {
  readonly message: unknown
  readonly headers: RequestHeaders | null
  readonly contextHeaders: RequestHeaders | null
  readonly principal: Principal | null
  readonly log: Logger
  readonly peer: Peer | null
  readonly sessions: Sessions | null
  /** Tasks that are only done if the answer is not there by then. */
  readonly deferred = new DeferredTasks()
  /** The session that the message names, once it is found. */
  session: Session | null = null
  /** Id of the session that `initialize` opened. */
  newSessionId: string | null = null
  /** Whether the client takes messages before the answer. */
  canNotify = true
  #isAnswered = false
  #onDisconnect: Cancellation | null = null
  #onClosing: (() => void) | null = null
  #permit: Permit | null = null
  #call: RequestCall | null = null

  constructor(init: ExchangeInit) {
    this.message = init.message
    this.headers = init.headers
    this.contextHeaders = init.contextHeaders ?? init.headers
    this.principal = init.principal
    this.log = init.log
    this.peer = init.peer ?? null
    this.sessions = init.sessions ?? null
  }

  /** Sends the answer. Called once. */
  protected abstract sendAnswer(answer: Answer): void

  /** Sends a message that belongs to the request, before its answer. */
  protected abstract sendMessage(json: string): void

  /** The message could not be served because of a fault of the server's own. */
  abstract crash(error: unknown): void

  /** The network address of the client, for limits per caller; `null` where all messages come from one place. */
  get address(): string | null {
    return null
  }

  /** Ends the connection that the message came on, where its sender can come back for the answer. */
  protected cutStream(): void {}

  /** Called when the handler is about to run: nothing before it has rejected the request. */
  started(): void {}

  /** Called when the request turns out to last until it is ended from outside. */
  protected lasts(): void {}

  notify(json: string): void {
    // Once a call is given up nothing may follow, not even from what its abort sets off.
    const isGivenUp = this.#call !== null && this.#call.cancellation.reason !== null
    if (!this.#isAnswered && !isGivenUp) this.sendMessage(json)
  }

  withdraw(json: string): void {
    if (!this.#isAnswered) this.sendMessage(json)
  }

  /** See `McpContext.closeStream`. */
  closeStream(): void {
    if (!this.#isAnswered) this.cutStream()
  }

  /** The key of the sender for limits per caller. */
  get caller(): string {
    return callerKey(this.principal, this.address)
  }

  /** Called once the request is known to be served: from then on its handler may ask. */
  setCall(call: RequestCall): void {
    this.#call = call
  }

  openClientRequester(): ClientRequester {
    const call = this.#call
    if (call === null) throw new Error('Nothing is served yet.')
    const { method } = call.request
    // A mistake of the handler's author, not of the client.
    if (!clientRequestMethods.has(method))
      throw new Error(`Only tools, prompts and resources can ask their client, not ${method}.`)
    return call.era.openClientRequester(call)
  }

  /** The era decides whether a client that goes away cancels its request. */
  cancelOnDisconnect(cancellation: Cancellation): void {
    this.#onDisconnect = cancellation
  }

  /** For transports: the client is gone before the answer. */
  disconnected(): void {
    this.#onDisconnect?.cancel(new CallCancelled('the client disconnected'))
  }

  /** For transports: the client was asked to try again, so the answer is no longer wanted. */
  refused(): void {
    this.#call?.cancellation.cancel(new CallCancelled('the client was told to try again'))
  }

  /** Keeps the permit of the request's caller. */
  occupies(permit: Permit): void {
    this.#permit = permit
  }

  /** A request that never ends by itself says how to end it. It is no longer in flight: it has limits of its own. */
  whenClosing(end: () => void): void {
    this.#onClosing = end
    this.#permit?.leave()
    this.lasts()
  }

  /** Ends such a request: its transport is about to close, or its caller's credentials have expired. */
  closing(): void {
    this.#onClosing?.()
  }

  /** Sends the answer. Nothing follows it. */
  answer(answer: Answer): void {
    if (this.#isAnswered) return
    this.answered()
    this.deferred.cancel()
    try {
      this.sendAnswer(answer)
    } catch (error) {
      this.crash(error)
    }
  }

  /** The client got its answer in another way. The call may go on, and keeps its time limit. */
  answered(): void {
    this.#isAnswered = true
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }
}

/** What goes back: a JSON text, the bytes of one, or nothing. */
export interface Answer {
  /** HTTP status; other transports ignore it. */
  readonly status: number
  readonly body: string | Buffer | null
  /** The session that `initialize` opened, for transports that name it in a header. */
  readonly sessionId?: string
  /** Set when the caller is forbidden to do this: the scopes that it takes, for transports that challenge. */
  readonly neededScopes?: readonly string[]
  /** Set when the caller has to authenticate, for transports that challenge. */
  readonly unauthorized?: AuthenticationError
  /** Set when a limit refused the request: when it is worth another try. */
  readonly retryAfterMs?: number
}

/** For messages that are not answered: notifications and responses. */
export const accepted: Answer = Object.freeze({ status: 202, body: null })

/** For requests that their client cancelled, where the transport can end them without a message. */
export const cancelled: Answer = Object.freeze({ status: 200, body: null })
