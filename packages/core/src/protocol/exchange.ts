import type { Logger } from 'pino'
import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { Session, SessionStore } from './legacy/session-store.js'
import type { Peer } from './peer.js'

/** What a transport knows about an inbound message. */
export interface ExchangeInit {
  /** Parsed JSON; hostile until it is checked. */
  readonly message: unknown
  /** `null` on transports without headers. */
  readonly headers: RequestHeaders | null
  readonly principal: Principal | null
  /** Carries what identifies the message in the transport's own log lines. */
  readonly log: Logger
  /** The other end of a connection or session; `null` when each message stands alone. */
  readonly peer: Peer | null
  /** Where `initialize` opens a session; `null` when the transport has none. */
  readonly sessions: SessionStore | null
  /** Sends a notification that belongs to the request, before its answer. */
  readonly notify: (json: string) => void
}

/** One inbound message, who sent it, and how to reach them before the answer. */
export class Exchange {
  readonly message: unknown
  readonly headers: RequestHeaders | null
  readonly principal: Principal | null
  readonly log: Logger
  readonly peer: Peer | null
  readonly sessions: SessionStore | null
  /** What `initialize` opened. */
  session: Session | null = null
  readonly #init: ExchangeInit
  /** Set when the answer is known: nothing may follow it. */
  #isAnswered = false
  #onDisconnect: Cancellation | null = null
  #onClosing: (() => void) | null = null

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
    if (!this.#isAnswered) this.#init.notify(json)
  }

  /** Sends what belongs to a call until that is given up: then nothing may follow, not even from what its abort sets off. */
  notifierOf(cancellation: Cancellation): (json: string) => void {
    return (json) => {
      if (cancellation.reason === null) this.notify(json)
    }
  }

  /** The era decides whether a client that goes away cancels its request. */
  cancelOnDisconnect(cancellation: Cancellation): void {
    this.#onDisconnect = cancellation
  }

  /** For transports: the client is gone before the answer. */
  disconnected(): void {
    this.#onDisconnect?.cancel(new CallCancelled('the client disconnected'))
  }

  /** An exchange of its own for one message of a batch, whose sender is already known. */
  part(message: unknown, peer: Peer | null): Exchange {
    return new Exchange({ ...this.#init, peer, sessions: null, message, notify: (json) => this.notify(json) })
  }

  /** What ends a request politely that would never end by itself. */
  whenClosing(end: () => void): void {
    this.#onClosing = end
  }

  /** For transports: they are about to close. */
  closing(): void {
    this.#onClosing?.()
  }

  answered(): void {
    this.#isAnswered = true
  }
}

/** What goes back: a JSON text, the bytes of one, or nothing. */
export interface Answer {
  /** HTTP status; other transports ignore it. */
  readonly status: number
  readonly body: string | Buffer | null
  /** The session that `initialize` opened, for transports that name it in a header. */
  readonly sessionId?: string
}

export const accepted: Answer = Object.freeze({ status: 202, body: null })
