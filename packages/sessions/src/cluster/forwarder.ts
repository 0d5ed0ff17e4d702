import { LimitError } from '@toolwright/core'
import { Quota } from '@toolwright/core/host'
import type { SessionStoreClient } from '../connect-session-store.js'
import { callerOf } from '../session-record.js'
import type { SessionRecord } from '../session-store.js'

/** Maximum bytes of a short message. Nearly all messages are short. */
const shortBytes = 16_384

/** Maximum bytes of all short messages in one second. A second limit of the same size applies to all long messages. */
const maxBytes = 8 * 1024 * 1024

/** Maximum bytes of short messages of one caller, in all its sessions. Other callers can use the rest of `maxBytes`. */
const maxOfCaller = maxBytes / 2

/** Maximum bytes of short messages of one session. Allows an answer to each of 100 pending client requests. */
const maxOfSession = 100 * shortBytes

export class Forwarder {
  #secondBegan = 0
  #quotas = createQuotas()

  constructor(private readonly store: Pick<SessionStoreClient, 'canForward' | 'forward'>) {}

  /** Rejects with a LimitError (503) if the store fails or is overloaded, so that the client sends the message again. */
  async send(record: SessionRecord, text: string): Promise<void> {
    if (!this.store.canForward) return
    this.#reserve(record.sessionId, callerOf(record), Buffer.byteLength(text))
    await this.store.forward(record.sessionId, text)
  }

  /**
   * Limits the messages of one client, because all nodes receive each forwarded message. A flood would otherwise block forwarding
   * for other clients.
   */
  #reserve(sessionId: string, caller: string, bytes: number): void {
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now
      this.#quotas = createQuotas()
    }
    const { ofSessions, ofCallers, ofLong } = this.#quotas
    const isLong = bytes > shortBytes
    // The first long message of each second is always accepted, even if the message exceeds the quota.
    const isAllowed = isLong
      ? ofLong.taken === 0 || ofLong.allows(null, bytes)
      : ofSessions.allows(sessionId, bytes) && ofCallers.allows(caller, bytes)
    if (!isAllowed) throw new LimitError('unavailable', 'Too many messages are being forwarded to other nodes')
    if (isLong) ofLong.take(null, bytes)
    else {
      ofSessions.take(sessionId, bytes)
      ofCallers.take(caller, bytes)
    }
  }
}

function createQuotas() {
  return {
    ofSessions: new Quota(Infinity, maxOfSession),
    ofCallers: new Quota(maxBytes, maxOfCaller),
    ofLong: new Quota(maxBytes),
  }
}
