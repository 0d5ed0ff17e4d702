import type { Logger } from 'pino'
import { CallCancelled } from '../context/cancellation.js'
import type { RequestHeaders } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { Recipient, TransportName } from '../context/viewer.js'
import type { Admission } from '../limits/in-flight.js'
import type { Answer } from './answer.js'
import type { Peer } from './peer.js'
import type { RequestCall } from './request-call.js'

/** The sender of a message, as access rules, handlers and hooks see it. */
export interface Sender extends Recipient {
  readonly principal: Principal | null
  /** Name of the transport; `null`: features with the option `transports` are not served. */
  readonly transport: TransportName | null
  /** Headers that handlers and hooks see. */
  readonly headers: RequestHeaders | null
  /** Logger with the transport's own fields for this message. */
  readonly log: Logger
}

/** An inbound message with the data of its transport. */
export interface ExchangeInit {
  /** Parsed JSON, not validated. */
  readonly message: unknown
  /** Headers that the protocol reads; `null` on transports without headers. */
  readonly headers: RequestHeaders | null
  readonly sender: Sender
  /** The connection or session of the message. Default: none. */
  readonly peer?: Peer | null
}

/** Parts of a transport that follow the call of a message. Transports that only answer messages need none of these. */
export interface TransportHooks {
  /** Whether each `initialize` opens a session. Default: the transport has no sessions. */
  readonly opensSessions?: boolean
  called?(call: RequestCall): void
  /** Called just before the handler runs. From then on, the request can no longer be rejected. */
  started?(): void
  /** Called if the request is open-ended, such as a subscription. Other limits apply from then on. */
  openEnded?(): void
  /** Ends the connection of the message, if the client can reconnect for the response. */
  cutStream?(): void
}

/**
 * One inbound message with its sender. Each transport extends this class, and has to implement `sendAnswer`, `send` and `crash`.
 */
export abstract class Exchange {
  readonly message: unknown
  readonly headers: RequestHeaders | null
  readonly sender: Sender
  /** The connection or session of the message. A session is assigned when it has been found. */
  peer: Peer | null
  /** Whether notifications and requests can be sent to the client before the response. */
  canNotify: boolean
  /** Whether the message is answered. Its call can continue until its time limit. */
  isAnswered: boolean
  /** The requests of the message that count as in flight; `null` for a message without requests. Set by the server. */
  admission: Admission | null
  /** The call of the message. Set by the server. */
  call: RequestCall | null
  hooks: TransportHooks | null

  constructor({ message, headers, sender, peer = null }: ExchangeInit) {
    this.message = message
    this.headers = headers
    this.sender = sender
    this.peer = peer
    this.canNotify = true
    this.isAnswered = false
    this.admission = null
    this.call = null
    this.hooks = null
  }

  /** Sends the response. Called at most one time. */
  protected abstract sendAnswer(answer: Answer): void

  /** Sends a message that belongs to the request, before its response. */
  abstract send(json: string): void

  /** Handles an internal error for which no answer can be sent: the message needs none, or `sendAnswer` has thrown. */
  abstract crash(error: unknown): void

  /** Network address of the client, for limits per caller; `null` if the transport has no addresses. */
  get address(): string | null {
    return null
  }

  /** Called by the transport when the client disconnects before the response. Legacy calls continue. */
  disconnected(): void {
    const { call } = this
    if (call?.era.name === 'modern') call.cancellation.cancel(new CallCancelled('the client disconnected'))
  }

  /** Sends the response, which must be the last message. Further calls have no effect. */
  respond(answer: Answer): void {
    if (this.isAnswered) return
    this.isAnswered = true
    this.admission?.leave()
    try {
      this.sendAnswer(answer)
    } catch (error) {
      this.crash(error)
    }
  }
}
