import type { Logger } from 'pino'
import type { ClientRequester } from '../client-requests/client-request.js'
import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { ClientLink, RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { TransportName } from '../context/viewer.js'
import type { AuthenticationError } from '../errors/authentication-error.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { logFailure } from '../errors/log-failure.js'
import type { UnknownFeatureError } from '../errors/unknown-feature-error.js'
import type { Permit } from '../limits/call-limiter.js'
import { callerKey } from '../limits/caller-key.js'
import type { Admission } from '../limits/in-flight.js'
import { errorResponse, readMessage } from '../rpc/messages.js'
import { DeferredTasks } from '../timing/deferred-tasks.js'
import type { Session } from './legacy/sessions/session.js'
import type { Sessions } from './legacy/sessions/sessions.js'
import type { Peer } from './peer.js'
import type { ClientRequestSender } from './pending-client-requests.js'
import type { RequestCall } from './request-call.js'

/** Methods whose handlers are allowed to send client requests. Spec: basic/mrtr, "Supported Requests". */
export const clientRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** An inbound message with the data of its transport. */
export interface ExchangeInit {
  /** Parsed JSON, not validated. */
  readonly message: unknown
  /** Headers that the protocol reads; `null` on transports without headers. */
  readonly headers: RequestHeaders | null
  /** Headers that handlers and hooks see. Default: `headers`. */
  readonly contextHeaders?: RequestHeaders | undefined
  readonly principal: Principal | null
  /** Name of the transport. Default: none, so features with the option `transports` are not served. */
  readonly transport?: TransportName | null
  /** Logger with the transport's own fields for this message. */
  readonly log: Logger
  /** The connection or session of the message. Default: none. */
  readonly peer?: Peer | null
  /** Opens a session for each `initialize`. Default: the transport has no sessions. */
  readonly sessions?: Sessions | null
}

/**
 * One inbound message with its sender and its response. Each transport extends this class, and has to implement `sendAnswer`,
 * `sendMessage` and `crash`.
 */
export abstract class Exchange implements ClientLink, ClientRequestSender {
  readonly message: unknown
  readonly headers: RequestHeaders | null
  readonly contextHeaders: RequestHeaders | null
  readonly principal: Principal | null
  readonly transport: TransportName | null
  readonly log: Logger
  readonly peer: Peer | null
  readonly sessions: Sessions | null
  /** Tasks that run only if the message is not answered within one turn of the event loop. */
  readonly deferred = new DeferredTasks()
  /** The session that the message names. `null` until the session is found. */
  session: Session | null = null
  /** Id of the session that `initialize` opened. */
  newSessionId: string | null = null
  /** The requests of the message that count as in flight; `null` for a message without requests. Set by the server. */
  admission: Admission | null = null
  /** Whether notifications and requests can be sent to the client before the response. */
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
    this.transport = init.transport ?? null
    this.log = init.log
    this.peer = init.peer ?? null
    this.sessions = init.sessions ?? null
  }

  /** Sends the response. Called at most one time. */
  protected abstract sendAnswer(answer: Answer): void

  /** Sends a message that belongs to the request, before its response. */
  protected abstract sendMessage(json: string): void

  /** Handles an internal error for which no answer can be sent: the message needs none, or `sendAnswer` has thrown. */
  abstract crash(error: unknown): void

  /** Ends a message that an unexpected error prevented from being served. A request gets an internal error with its id. */
  fail(error: unknown): void {
    const message = readMessage(this.message)
    if (message.kind === 'notification' || message.kind === 'response') {
      this.crash(error)
      return
    }
    const errorId = errorIdOf(this)
    logFailure(this.log, error, { errorId }, 'a request failed unexpectedly')
    this.answer({ status: 500, body: errorResponse(message.id, internalError(errorId)) })
    // The call may have begun. Its result can no longer be sent.
    this.#call?.cancellation.cancel(new CallCancelled('the request failed'))
  }

  /** Network address of the client, for limits per caller; `null` if the transport has no addresses. */
  get address(): string | null {
    return null
  }

  /** Ends the connection of the message, if the client can reconnect for the response. */
  protected cutStream(): void {}

  /** Called just before the handler runs. From then on, the request can no longer be rejected. */
  started(): void {}

  /** Called if the request is open-ended, such as a subscription. Other limits apply from then on. */
  protected lasts(): void {
    this.admission?.leave()
  }

  notify(json: string): void {
    // After a cancellation, no message is sent, not even a message of an abort listener.
    const isGivenUp = this.#call !== null && this.#call.cancellation.reason !== null
    if (!this.#isAnswered && !isGivenUp) this.sendMessage(json)
  }

  withdraw(json: string): void {
    if (!this.#isAnswered) this.sendMessage(json)
  }

  closeStream(): void {
    if (!this.#isAnswered) this.cutStream()
  }

  /** Key that identifies the sender for limits per caller. */
  get caller(): string {
    return callerKey(this.principal, this.address)
  }

  /** Called as soon as the call has a context. From then on, the handler can send client requests. */
  setCall(call: RequestCall): void {
    this.#call = call
  }

  get sessionId(): string | null {
    const call = this.#call
    return call === null || call.revision.era === 'modern' ? null : (call.peer?.sessionId ?? null)
  }

  openClientRequester(): ClientRequester {
    const call = this.#call
    if (call === null) throw new Error('A client request was sent before the call began.')
    const { method } = call.request
    // Throws a plain `Error`, because a client request of another method is a bug in the handler.
    if (!clientRequestMethods.has(method))
      throw new Error(`Only tools, prompts and resources can send requests to the client, not ${method}.`)
    return call.era.openClientRequester(call)
  }

  /** Registers a call that is cancelled when the client disconnects. Used only by the modern era. */
  cancelOnDisconnect(cancellation: Cancellation): void {
    this.#onDisconnect = cancellation
  }

  /** Called by transports when the client disconnects before the response. */
  disconnected(): void {
    this.#onDisconnect?.cancel(new CallCancelled('the client disconnected'))
  }

  /**
   * Called by a transport that has asked the client to retry the request. Cancels the call, because its result is no longer
   * needed.
   */
  rejected(): void {
    this.#call?.cancellation.cancel(new CallCancelled('the client was asked to retry'))
  }

  /** Stores the permit of the request's caller. */
  occupies(permit: Permit): void {
    this.#permit = permit
  }

  /**
   * Registers the function that ends an open-ended request. The request no longer counts as in flight, because open-ended
   * requests have separate limits.
   */
  whenClosing(end: () => void): void {
    this.#onClosing = end
    this.#permit?.leave()
    this.lasts()
  }

  /** Ends an open-ended request, because its transport is about to close or its caller's credentials have expired. */
  closing(): void {
    this.#onClosing?.()
  }

  /** Sends the response, which must be the last message. */
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

  /**
   * Marks the request as answered. Subclasses that send the response themselves call this method. The call itself can continue
   * until its time limit.
   */
  answered(): void {
    this.#isAnswered = true
    this.admission?.leave()
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }
}

/** A response. The body is JSON as a string or as bytes, or is absent. */
export interface Answer {
  /** HTTP status. Transports other than HTTP ignore the status. */
  readonly status: number
  readonly body: string | Buffer | null
  /** Id of the session that `initialize` opened, for transports that send the id in a header. */
  readonly sessionId?: string
  /** Scopes that the operation requires. Set if the caller lacks access, for transports that send `WWW-Authenticate`. */
  readonly neededScopes?: readonly string[]
  /** Set if the caller has to authenticate, for transports that send `WWW-Authenticate`. */
  readonly unauthorized?: AuthenticationError
  /** Set if the request named a feature that does not exist, or is hidden from the caller. */
  readonly unknownFeature?: UnknownFeatureError
  /** Delay before the client should retry, in milliseconds. Set if a limit rejected the request. */
  readonly retryAfterMs?: number
}

/** Reply to messages without a JSON-RPC response: notifications, and answers of the client. */
export const accepted: Answer = Object.freeze({ status: 202, body: null })

/** Reply to cancelled requests, on transports that can end a request without a message. */
export const cancelled: Answer = Object.freeze({ status: 200, body: null })
