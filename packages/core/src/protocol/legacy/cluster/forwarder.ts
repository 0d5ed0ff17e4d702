import { type ErrorLog, logFailure } from '../../../errors/log-failure.js'
import type { StoreClient } from '../../../limits/store-client.js'
import { type RpcMessage, readMessage } from '../../../rpc/messages.js'
import { restoreIds } from '../../../rpc/parse-json.js'
import { callerOf } from '../sessions/session-record.js'
import type { SessionRecord, SessionStore } from '../sessions/session-store.js'
import { ForwardingQuota } from './forwarding-quota.js'

/** Brings what clients send from the node to which it came to the one that waits for it, where the store can do so. */
export class Forwarder {
  #secondBegan = 0
  #quota = new ForwardingQuota()

  /** @param guard Its own, because this can fail while the rest of the store does not. */
  constructor(
    private readonly store: SessionStore,
    private readonly guard: StoreClient,
    private readonly log: ErrorLog,
  ) {}

  /** @throws LimitError (503) when the store fails, or has too much to do: the client is not to believe that it was heard. */
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

  /** What one client makes up would else cut off all nodes, each of which gets all of it, from what they tell each other. */
  #reserve(sessionId: string, caller: string, bytes: number): void {
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now
      this.#quota = new ForwardingQuota()
    }
    this.#quota.take(sessionId, caller, bytes)
  }

  /** `null` for what is not even JSON: a store may bring anything. */
  read(text: string): RpcMessage | null {
    try {
      const message: unknown = JSON.parse(text)
      restoreIds(message, text)
      return readMessage(message)
    } catch (error) {
      logFailure(this.log, error, {}, 'the session store brought something that is not a message')
      return null
    }
  }
}
