import type { Logger } from 'pino'
import { logFailure } from '../../errors/log-failure.js'
import { type RpcMessage, readMessage } from '../../rpc/messages.js'
import type { SessionStore } from './session-store.js'
import { StoreGuard } from './store-guard.js'

export interface ForwarderInit {
  readonly store: SessionStore
  readonly timeoutMs: number
  readonly log: Logger
}

/** Brings what clients send from the node to which it came to the one that waits for it, where the store can do so. */
export class Forwarder {
  /** Its own, because this can fail while the rest of the store does not. */
  readonly #guard: StoreGuard

  constructor(private readonly init: ForwarderInit) {
    this.#guard = new StoreGuard('bringing messages to other nodes', init.timeoutMs, init.log)
  }

  /** @throws LimitError (503) when the store fails: the client is not to believe that it was heard. */
  send(sessionId: string, message: object): void | Promise<void> {
    const { store } = this.init
    if (store.forward === undefined) return undefined
    return this.#guard.ask(
      () => store.forward?.(sessionId, JSON.stringify(message)),
      () => undefined,
    )
  }

  /** `null` for what is not even JSON: a store may bring anything. */
  read(text: string): RpcMessage | null {
    try {
      return readMessage(JSON.parse(text))
    } catch (error) {
      logFailure(this.init.log, error, {}, 'the session store brought something that is not a message')
      return null
    }
  }
}
