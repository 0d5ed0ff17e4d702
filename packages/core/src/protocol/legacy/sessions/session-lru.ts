import { CallerUsage } from '../../../limits/caller-usage.js'
import type { SessionRecord } from './session-store.js'

export interface KeptSession {
  readonly record: SessionRecord
  readonly caller: string
  readonly idleMs: number
  readonly expiresAt: number
}

/** Sessions in the order of their use: all together, and those of each caller. */
export class SessionLru {
  readonly #sessions = new Map<string, KeptSession>()
  readonly #byCaller = new Map<string, Set<string>>()
  readonly #callers = new CallerUsage()

  get(sessionId: string): KeptSession | undefined {
    return this.#sessions.get(sessionId)
  }

  /** From now on it is the one that was used last of all, whether it was there or not. */
  put(session: KeptSession): void {
    const { caller, record } = session
    this.#sessions.delete(record.sessionId)
    this.#sessions.set(record.sessionId, session)
    const ids = this.#byCaller.get(caller) ?? new Set()
    ids.delete(record.sessionId)
    this.#byCaller.set(caller, ids.add(record.sessionId))
    this.#callers.set(caller, ids.size)
  }

  /** Where it is, and without being used. */
  replace(session: KeptSession): void {
    this.#sessions.set(session.record.sessionId, session)
  }

  delete(sessionId: string): boolean {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return false
    const { caller } = session
    this.#sessions.delete(sessionId)
    const ids = this.#byCaller.get(caller)
    ids?.delete(sessionId)
    if (ids?.size === 0) this.#byCaller.delete(caller)
    this.#callers.set(caller, ids?.size ?? 0)
    return true
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Who was unused for longest comes first. */
  get sessions(): Iterable<KeptSession> {
    return this.#sessions.values()
  }

  /** Ids of the sessions of a caller, in the same order. */
  idsOf(caller: string): Iterable<string> {
    return this.#byCaller.get(caller) ?? []
  }

  countOf(caller: string): number {
    return this.#byCaller.get(caller)?.size ?? 0
  }

  /** Who has most comes first; of those who have equally many, who has used or ended none for longest. */
  get callers(): Iterable<string> {
    return this.#callers
  }
}
