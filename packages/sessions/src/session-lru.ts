import { CallerUsage } from './caller-usage.js'
import type { SessionRecord } from './session-store.js'

export interface LruEntry {
  readonly record: SessionRecord
  readonly caller: string
  readonly idleMs: number
  readonly expiresAt: number
}

export class SessionLru {
  readonly #sessions = new Map<string, LruEntry>()
  readonly #byCaller = new Map<string, Set<string>>()
  readonly #callers = new CallerUsage()

  get(sessionId: string): LruEntry | undefined {
    return this.#sessions.get(sessionId)
  }

  put(session: LruEntry): void {
    const { caller, record } = session
    this.#sessions.delete(record.sessionId)
    this.#sessions.set(record.sessionId, session)
    const ids = this.#byCaller.get(caller) ?? new Set()
    ids.delete(record.sessionId)
    this.#byCaller.set(caller, ids.add(record.sessionId))
    this.#callers.set(caller, ids.size)
  }

  replace(session: LruEntry): void {
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

  get sessions(): Iterable<LruEntry> {
    return this.#sessions.values()
  }

  idsOf(caller: string): Iterable<string> {
    return this.#byCaller.get(caller) ?? []
  }

  countOf(caller: string): number {
    return this.#byCaller.get(caller)?.size ?? 0
  }

  /**
   * Callers in order of their number of sessions, the largest number first. Callers with equally many sessions are ordered by
   * least recent use.
   */
  get callers(): Iterable<string> {
    return this.#callers
  }
}
