import type { Logger } from 'pino'
import type { ClientRequester } from '../client-requests/client-request.js'
import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { ClientLink, RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { AuthenticationError } from '../errors/authentication-error.js'
import type { Permit } from '../limits/call-limiter.js'
import { callerKey } from '../limits/caller-key.js'
import { DeferredTasks } from '../timing/deferred-tasks.js'
import type { Call, Era } from './era.js'
import type { Session } from './legacy/sessions/session.js'
import type { Sessions } from './legacy/sessions/sessions.js'
import type { Peer } from './peer.js'
import type { ClientRequestSender } from './pending-client-requests.js'

/** Requests whose handlers may ask their client. Spec: basic/mrtr, "Supported Requests". */
export const clientRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** What a transport knows about an inbound message. */
export interface ExchangeInit {
  /** Parsed JSON; hostile until it is checked. */
  readonly message: unknown
  /** Where the client calls from, for limits by caller. Left out where all come from one place. */
  readonly address?: () => string | null
  /** Those that the protocol reads; `null` where it is not to read any. */
  readonly headers: RequestHeaders | null
  /** Those that handlers and hooks see. Default: the same. */
  readonly contextHeaders?: RequestHeaders | undefined
  readonly principal: Principal | null
  /** Carries what identifies the message in the transport's own log lines. */
  readonly log: Logger
  /** The other end of a connection or session; `null` when each message stands alone. */
  readonly peer: Peer | null
  /** Where `initialize` opens a session; `null` when the transport has none. */
  readonly sessions: Sessions | null
  /** Sends a notification that belongs to the request, before its answer. */
  readonly notify: (json: string) => void
  /** Ends the connection that the message came on, where its sender can come back for the answer. */
  readonly closeStream?: () => void
  /** Called when the handler is about to run: nothing before it has refused the request. */
  readonly onStarted?: () => void
  /** `false` for a client that takes nothing before the answer. Default: true. */
  readonly canNotify?: boolean
  /** Called when the request turns out to be one that lasts until somebody ends it. */
  readonly onListen?: () => void
}

/** One inbound message, who sent it, and how to reach them before the answer. */
export class Exchange implements ClientLink, ClientRequestSender {
  readonly message: unknown
  readonly headers: RequestHeaders | null
  readonly principal: Principal | null
  readonly log: Logger
  readonly peer: Peer | null
  readonly sessions: Sessions | null
  /** For what is done only if the answer is not there by then. */
  readonly deferred = new DeferredTasks()
  /** The session that the message names, once it is found. */
  session: Session | null = null
  /** Id of the session that `initialize` opened. */
  newSessionId: string | null = null
  readonly #init: ExchangeInit
  /** Set when the answer is known: nothing may follow it. */
  #isAnswered = false
  #onDisconnect: Cancellation | null = null
  #onClosing: (() => void) | null = null
  #permit: Permit | null = null
  #era: Era | null = null
  #call: Call | null = null

  constructor(init: ExchangeInit) {
    this.message = init.message
    this.headers = init.headers
    this.principal = init.principal
    this.log = init.log
    this.peer = init.peer
    this.sessions = init.sessions
    this.#init = init
  }

  notify(json: string): void {
    // Once a call is given up nothing may follow, not even from what its abort sets off.
    const isGivenUp = this.#call !== null && this.#call.cancellation.reason !== null
    if (!this.#isAnswered && !isGivenUp) this.#init.notify(json)
  }

  withdraw(json: string): void {
    if (!this.#isAnswered) this.#init.notify(json)
  }

  /** See `McpContext.closeStream`. */
  closeStream(): void {
    if (!this.#isAnswered) this.#init.closeStream?.()
  }

  /** What limits tell its sender apart by. */
  get caller(): string {
    return callerKey(this.principal, this.#init.address?.() ?? null)
  }

  get contextHeaders(): RequestHeaders | null {
    return this.#init.contextHeaders ?? this.headers
  }

  get canNotify(): boolean {
    return this.#init.canNotify ?? true
  }

  /** Set once the request is known to be served: from then on its handler may ask. */
  setCall(call: Call, era: Era): void {
    this.#call = call
    this.#era = era
  }

  started(): void {
    if (!this.#isAnswered) this.#init.onStarted?.()
  }

  openClientRequester(): ClientRequester {
    if (this.#call === null || this.#era === null) throw new Error('Nothing is served yet.')
    const { method } = this.#call.request
    // A mistake of the handler's author, not of the client.
    if (!clientRequestMethods.has(method))
      throw new Error(`Only tools, prompts and resources can ask their client, not ${method}.`)
    return this.#era.openClientRequester(this.#call)
  }

  /** The era decides whether a client that goes away cancels its request. */
  cancelOnDisconnect(cancellation: Cancellation): void {
    this.#onDisconnect = cancellation
  }

  /** For transports: the client is gone before the answer. */
  disconnected(): void {
    this.#onDisconnect?.cancel(new CallCancelled('the client disconnected'))
  }

  /** For transports: the client was told to try again, so nobody waits for this one. */
  refused(): void {
    this.#call?.cancellation.cancel(new CallCancelled('the client was told to try again'))
  }

  /** An exchange of its own for one message of a batch, whose sender is already known. */
  part(message: unknown, peer: Peer | null): Exchange {
    const { headers, contextHeaders, principal, log, canNotify } = this
    const init = this.#init
    return new Exchange({
      message,
      headers,
      contextHeaders: contextHeaders ?? undefined,
      principal,
      log,
      peer,
      sessions: null,
      canNotify,
      notify: (json) => this.notify(json),
      closeStream: () => this.closeStream(),
      onStarted: () => this.started(),
      address: () => init.address?.() ?? null,
    })
  }

  /** Notes the place that it takes in the gate of its caller. */
  occupies(permit: Permit): void {
    this.#permit = permit
  }

  /** A request that never ends by itself says how to end it. It is no longer in flight: it has limits of its own. */
  whenClosing(end: () => void): void {
    this.#onClosing = end
    this.#permit?.leave()
    this.#init.onListen?.()
  }

  /** Ends such a request: its transport is about to close, or its caller's credentials are over. */
  closing(): void {
    this.#onClosing?.()
  }

  /** The call may go on all the same, where its client was told something else: it keeps its time limit. */
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
