import { type ErrorLog, logFailure } from '../../../errors/log-failure.js'
import type { StoreClient } from '../../../limits/store-client.js'
import { type RpcMessage, readMessage } from '../../../rpc/messages.js'
import { restoreIds } from '../../../rpc/parse-json.js'
import { callerOf } from '../sessions/session-record.js'
import type { SessionRecord, SessionStore } from '../sessions/session-store.js'
import { ForwardingQuota } from './forwarding-quota.js'

/** Forwards messages of clients to the node that waits for them, if the store supports it. */
export class Forwarder {
  #secondBegan = 0
  #quota = new ForwardingQuota()

  /** @param guard A separate guard, because forwarding can fail while the rest of the store works. */
  constructor(
    private readonly store: SessionStore,
    private readonly guard: StoreClient,
    private readonly log: ErrorLog,
  ) {}

  /**
   * Forwards a message. @throws LimitError (503) if the store fails or is overloaded, so that the client sends it
   * again.
   */
  send(record: SessionRecord, text: string): void | Promise<void> {
    const { store } = this
    const { sessionId } = record
    if (store.forward === undefined) return undefined
    this.#reserve(sessionId, callerOf(record), Buffer.byteLength(text))
    return this.guard.ask(
      () => store.forward?.(sessionId, text),
      () => undefined,
    )
  }

  /**
   * Limits the messages of one client, which all nodes receive. A flood would otherwise block forwarding for others.
   */
  #reserve(sessionId: string, caller: string, bytes: number): void {
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now
      this.#quota = new ForwardingQuota()
    }
    this.#quota.take(sessionId, caller, bytes)
  }

  /** Parses a forwarded message; `null` if it is not JSON. The store is not trusted. */
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
