import { defaultLimits } from '@toolwright/core'
import { SessionLru, type StoredSession } from './session-lru.js'
import { callerOf } from './session-record.js'
import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'

export interface SessionStoreLimits {
  /** Maximum number of sessions. Default: 10,000. */
  readonly maxSessions: number
}

const sweepMs = 60_000

/**
 * The default store. At the limit, a new session replaces a session of the caller with the most sessions. Sessions that were
 * never used after `initialize` are replaced first, then the least recently used session. A session in use is never evicted.
 * Sessions of another caller are only evicted if that caller has more sessions than the caller of the new session. A caller that
 * opens too many sessions therefore evicts only its own sessions. If no session can be evicted, the new session is rejected.
 */
export class InMemorySessionStore implements SessionStore {
  /**
   * Sessions that were never used. These sessions are evicted first, so a flood of `initialize` requests from many callers evicts
   * only unused sessions.
   */
  readonly #unused = new SessionLru()
  readonly #used = new SessionLru()
  readonly #lrus = [this.#unused, this.#used]
  readonly #nodes = new Set<SessionNode>()
  #sweeping: NodeJS.Timeout | undefined = undefined
  #displaced = 0
  readonly #maxSessions: number

  constructor(
    { maxSessions = defaultLimits.maxSessions }: Partial<SessionStoreLimits> = {},
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#maxSessions = maxSessions
  }

  create(record: SessionRecord, idleMs: number): boolean {
    const caller = callerOf(record)
    this.#deleteExpired()
    if (this.size >= this.#maxSessions && !this.#evictFor(caller)) return false
    this.#unused.put({ record, caller, ...this.#lifetime(idleMs) })
    this.#sweeping ??= setInterval(() => this.#sweep(), Math.min(sweepMs, idleMs)).unref()
    return true
  }

  get(sessionId: string): SessionRecord | undefined {
    return this.#find(sessionId)?.record
  }

  update(sessionId: string, change: (record: SessionRecord) => SessionRecord): SessionRecord | undefined {
    const stored = this.#find(sessionId)
    if (stored === undefined) return undefined
    const record = change(stored.record)
    const lru = this.#used.get(sessionId) === undefined ? this.#unused : this.#used
    lru.replace({ ...stored, record })
    return record
  }

  touch(sessionId: string, idleMs: number): void {
    const stored = this.#find(sessionId)
    if (stored === undefined) return
    this.#unused.delete(sessionId)
    this.#used.put({ ...stored, ...this.#lifetime(idleMs) })
  }

  delete(sessionId: string): void {
    if (!this.#unused.delete(sessionId) && !this.#used.delete(sessionId)) return
    for (const node of this.#nodes) node.ended(sessionId)
  }

  forward(sessionId: string, message: string): void {
    if (this.isAlone) return
    for (const node of this.#nodes) node.received(sessionId, message)
  }

  attach(node: SessionNode): () => void {
    this.#nodes.add(node)
    return () => this.#detach(node)
  }

  #detach(node: SessionNode): void {
    this.#nodes.delete(node)
    if (this.#nodes.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }

  get isAlone(): boolean {
    return this.#nodes.size === 1
  }

  get size(): number {
    return this.#unused.size + this.#used.size
  }

  /** Number of sessions since the start that were evicted for new sessions. */
  get displaced(): number {
    return this.#displaced
  }

  #lifetime(idleMs: number): Pick<StoredSession, 'idleMs' | 'expiresAt'> {
    return { idleMs, expiresAt: this.now() + idleMs }
  }

  #find(sessionId: string): StoredSession | undefined {
    const stored = this.#used.get(sessionId) ?? this.#unused.get(sessionId)
    if (stored === undefined || stored.expiresAt >= this.now() || this.#isInUse(sessionId)) return stored
    this.delete(sessionId)
    return undefined
  }

  #isInUse(sessionId: string): boolean {
    for (const node of this.#nodes) if (node.isInUse(sessionId)) return true
    return false
  }

  /**
   * Deletes expired sessions. Stops at the first valid session: usually all sessions have the same idle time, so the sessions
   * after it are also valid.
   */
  #deleteExpired(): void {
    for (const lru of this.#lrus) {
      for (const { record, expiresAt, idleMs } of lru.sessions) {
        if (expiresAt >= this.now()) break
        if (this.#isInUse(record.sessionId)) this.touch(record.sessionId, idleMs)
        else this.delete(record.sessionId)
      }
    }
  }

  #evictFor(caller: string): boolean {
    const count = this.#countOf(caller) + 1
    for (const lru of this.#lrus) {
      for (const most of lru.callers) {
        if (most !== caller && this.#countOf(most) < count) break
        if (this.#displaceOne(lru, most)) return true
      }
    }
    return this.#lrus.some((lru) => this.#displaceOne(lru, caller))
  }

  #countOf(caller: string): number {
    return this.#unused.countOf(caller) + this.#used.countOf(caller)
  }

  #displaceOne(lru: SessionLru, caller: string): boolean {
    for (const sessionId of lru.idsOf(caller)) {
      if (this.#isInUse(sessionId)) continue
      this.delete(sessionId)
      this.#displaced++
      return true
    }
    return false
  }

  #sweep(): void {
    this.#deleteExpired()
    if (this.size > 0) return
    clearInterval(this.#sweeping)
    this.#sweeping = undefined
  }
}
