import { CallCancelled, type Cancellation } from '../context/cancellation.js'
import type { ClientInfo } from '../context/mcp-context.js'
import type { JsonObject, RequestId } from '../rpc/messages.js'
import type { Channel } from './channel.js'
import type { Revision } from './revisions.js'

/** What `initialize` agreed on. */
export interface Handshake {
  readonly revision: Revision
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
}

/** The other end of a connection (stdio, in memory) or of a legacy session: what outlives a single message. */
export class Peer {
  /** `null` until `initialize`, and for ever with a modern client. */
  handshake: Handshake | null = null
  readonly #inFlight = new Map<RequestId, Cancellation>()

  /** @param channel For messages that belong to no request. */
  constructor(readonly channel: Channel) {}

  /** Whether the id was free. An id may be used again once its request is answered. */
  begin(id: RequestId, cancellation: Cancellation): boolean {
    if (this.#inFlight.has(id)) return false
    this.#inFlight.set(id, cancellation)
    return true
  }

  end(id: RequestId): void {
    this.#inFlight.delete(id)
  }

  /** Does nothing for an id that is unknown or already answered: the spec wants such races ignored. */
  cancel(id: unknown, reason: string): void {
    this.#inFlight.get(id as RequestId)?.cancel(new CallCancelled(reason))
  }

  cancelAll(reason: string): void {
    for (const cancellation of this.#inFlight.values()) cancellation.cancel(new CallCancelled(reason))
  }

  get inFlight(): number {
    return this.#inFlight.size
  }
}
