import type { StoreClient } from '../../../limits/store-client.js'
import { inBackground } from '../in-background.js'
import type { Session } from './session.js'
import type { SessionStore } from './session-store.js'

/** Milliseconds for which the store need not hear again that a session is used, at most. */
const touchMs = 1000

/** Tells the store that sessions are used. Nobody waits for that. */
export class KeepAlive {
  readonly #touching = new Set<string>()

  /** @param guard Its own, because this can fail while the rest of the store does not. */
  constructor(
    private readonly store: SessionStore,
    private readonly idleMs: number,
    private readonly guard: StoreClient,
  ) {}

  /** A busy client would have the store told twice for each request. */
  isDue({ lastTouched }: Session, now: number): boolean {
    return now - lastTouched >= Math.min(touchMs, this.idleMs / 20)
  }

  /** One at a time for each session: a store that is slow gets no queue. */
  touch({ id }: Session): void {
    if (this.#touching.has(id)) return
    const touching = inBackground(() =>
      this.guard.ask(
        () => this.store.touch(id, this.idleMs),
        () => undefined,
      ),
    )
    if (touching === null) return
    this.#touching.add(id)
    void touching.finally(() => this.#touching.delete(id))
  }
}
