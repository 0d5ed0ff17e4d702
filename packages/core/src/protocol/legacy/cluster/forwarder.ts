import { LimitError } from '../../../errors/limit-error.js'
import { type ErrorLog, logFailure } from '../../../errors/log-failure.js'
import { Quota } from '../../../limits/quota.js'
import type { StoreClient } from '../../../limits/store-client.js'
import { type RpcMessage, readMessage } from '../../../rpc/messages.js'
import { restoreIds } from '../../../rpc/parse-json.js'
import { callerOf } from '../sessions/session-record.js'
import type { SessionRecord, SessionStore } from '../sessions/session-store.js'

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

  /** @param client A separate store client, so that outages of forwarding are logged separately. */
  constructor(
    private readonly store: SessionStore,
    private readonly client: StoreClient,
    private readonly log: ErrorLog,
  ) {}

  /**
   * Forwards a message. Rejects with a LimitError (503) if the store fails or is overloaded, so that the client sends the message
   * again.
   */
  async send(record: SessionRecord, text: string): Promise<void> {
    const { store } = this
    const { sessionId } = record
    if (store.forward === undefined) return
    this.#reserve(sessionId, callerOf(record), Buffer.byteLength(text))
    await this.client.ask(
      () => store.forward?.(sessionId, text),
      () => undefined,
    )
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

  /** Parses a forwarded message; `null` if the message is not valid JSON. Messages of the store are not trusted. */
  read(text: string): RpcMessage | null {
    try {
      const message: unknown = JSON.parse(text)
      restoreIds(message, text)
      return readMessage(message)
    } catch (error) {
      logFailure(this.log, error, {}, 'the session store forwarded an invalid message')
      return null
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
