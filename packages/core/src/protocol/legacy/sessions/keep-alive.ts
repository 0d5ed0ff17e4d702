import type { StoreClient } from '../../../limits/store-client.js'
import type { Session } from './session.js'
import type { SessionStore } from './session-store.js'

/** Minimum milliseconds between two reports of the same session. The interval is shorter if the idle timeout is short. */
const touchMs = 1000

export class KeepAlive {
  readonly #touching = new Set<string>()

  /** @param client A separate store client, so that outages of these reports are logged separately. */
  constructor(
    private readonly store: SessionStore,
    private readonly idleMs: number,
    private readonly client: StoreClient,
  ) {}

  /** Whether a report is due. Without this check, each request would cause a report at its start and at its end. */
  isDue({ lastTouched }: Session, now: number): boolean {
    return now - lastTouched >= Math.min(touchMs, this.idleMs / 20)
  }

  /** Reports a session, unless an earlier report is pending. Reports therefore do not queue if the store is slow. */
  touch({ id }: Session): void {
    if (this.#touching.has(id)) return
    const touching = this.client.start(() => this.store.touch(id, this.idleMs))
    if (touching === null) return
    this.#touching.add(id)
    void touching.finally(() => this.#touching.delete(id))
  }
}
