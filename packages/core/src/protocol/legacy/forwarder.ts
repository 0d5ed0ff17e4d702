import { LimitError } from '../../errors/limit-error.js'
import { type ErrorLog, logFailure } from '../../errors/log-failure.js'
import type { StoreGuard } from '../../limits/store-guard.js'
import { type RpcMessage, readMessage } from '../../rpc/messages.js'
import type { SessionStore } from './session-store.js'

/** Characters up to which a message is short, as nearly all are: such ones are always brought on. */
const shortLength = 16_384

/** Characters of longer ones that are brought on within a second. The first of them may have more. */
const maxLength = 8 * 1024 * 1024

/** Brings what clients send from the node to which it came to the one that waits for it, where the store can do so. */
export class Forwarder {
  #secondBegan = 0
  /** Since then. */
  #length = 0

  /** @param guard Its own, because this can fail while the rest of the store does not. */
  constructor(
    private readonly store: SessionStore,
    private readonly guard: StoreGuard,
    private readonly log: ErrorLog,
  ) {}

  /** @throws LimitError (503) when the store fails, or has too much to do: the client is not to believe that it was heard. */
  send(sessionId: string, message: object): void | Promise<void> {
    const { store } = this
    if (store.forward === undefined) return undefined
    const text = JSON.stringify(message)
    if (text.length > shortLength) this.#takeRoom(text.length)
    return this.guard.ask(
      () => store.forward?.(sessionId, text),
      () => undefined,
    )
  }

  /** What one client makes up would else cut off all nodes, each of which gets all of it, from what they tell each other. */
  #takeRoom(length: number): void {
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) [this.#secondBegan, this.#length] = [now, 0]
    if (this.#length > 0 && this.#length + length > maxLength) {
      throw new LimitError('unavailable', 'Too many large answers come at once')
    }
    this.#length += length
  }

  /** `null` for what is not even JSON: a store may bring anything. */
  read(text: string): RpcMessage | null {
    try {
      return readMessage(JSON.parse(text))
    } catch (error) {
      logFailure(this.log, error, {}, 'the session store brought something that is not a message')
      return null
    }
  }
}
