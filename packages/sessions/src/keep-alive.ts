import type { HeldSession } from './held-session.js'

/** Minimum milliseconds between two reports of the same session. The interval is shorter if the idle timeout is short. */
const touchMs = 1000

export class KeepAlive {
  readonly #touching = new Set<string>()

  /** @param report Reports a session to the store. Returns `null` if the store has answered synchronously. */
  constructor(
    private readonly idleMs: number,
    private readonly report: (sessionId: string) => Promise<void> | null,
  ) {}

  /** Whether a report is due. Without this check, each request would cause a report at its start and at its end. */
  isDue({ lastTouched }: HeldSession, now: number): boolean {
    return now - lastTouched >= Math.min(touchMs, this.idleMs / 20)
  }

  /** Reports a session, unless an earlier report is pending. Reports therefore do not queue if the store is slow. */
  touch({ sessionId }: HeldSession): void {
    if (this.#touching.has(sessionId)) return
    const touching = this.report(sessionId)
    if (touching === null) return
    this.#touching.add(sessionId)
    void touching.finally(() => this.#touching.delete(sessionId))
  }
}
