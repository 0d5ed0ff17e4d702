import { LimitError } from '../../errors/limit-error.js'
import { type ErrorLog, logFailure } from '../../errors/log-failure.js'
import type { StoreGuard } from '../../limits/store-guard.js'
import { type RpcMessage, readMessage } from '../../rpc/messages.js'
import { callerOf } from './session-record.js'
import type { SessionRecord, SessionStore } from './session-store.js'

/** Bytes up to which a message is short, as nearly all are. */
const shortBytes = 16_384

/** Bytes that are brought on within a second: of short messages, and as many of longer ones, whose first may have more. */
const maxBytes = 8 * 1024 * 1024

/** Of short messages of one caller, however many sessions it has: the others have as much left. */
const maxOfCaller = maxBytes / 2

/** Of short messages of one session: as many as its client can be asked at once. */
const maxOfSession = 100 * shortBytes

/** Brings what clients send from the node to which it came to the one that waits for it, where the store can do so. */
export class Forwarder {
  #secondBegan = 0
  /** Brought on since then: short messages, longer ones, and short ones by session and by caller. */
  readonly #bytes = new Map<string, number>()

  /** @param guard Its own, because this can fail while the rest of the store does not. */
  constructor(
    private readonly store: SessionStore,
    private readonly guard: StoreGuard,
    private readonly log: ErrorLog,
  ) {}

  /** @throws LimitError (503) when the store fails, or has too much to do: the client is not to believe that it was heard. */
  send(record: SessionRecord, message: object): void | Promise<void> {
    const { store } = this
    const { sessionId } = record
    if (store.forward === undefined) return undefined
    const text = JSON.stringify(message)
    this.#takeRoom(sessionId, callerOf(record), Buffer.byteLength(text))
    return this.guard.ask(
      () => store.forward?.(sessionId, text),
      () => undefined,
    )
  }

  /** What one client makes up would else cut off all nodes, each of which gets all of it, from what they tell each other. */
  #takeRoom(sessionId: string, caller: string, bytes: number): void {
    const now = performance.now()
    if (now - this.#secondBegan >= 1000) {
      this.#secondBegan = now
      this.#bytes.clear()
    }
    if (bytes > shortBytes) this.#take('long', bytes, maxBytes)
    else {
      this.#take(sessionId, bytes, maxOfSession)
      this.#take(`of ${caller}`, bytes, maxOfCaller)
      this.#take('short', bytes, maxBytes)
    }
  }

  #take(name: string, bytes: number, max: number): void {
    const before = this.#bytes.get(name) ?? 0
    if (before > 0 && before + bytes > max) {
      throw new LimitError('unavailable', 'Too many answers to other nodes come at once')
    }
    this.#bytes.set(name, before + bytes)
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
