import { defaultLimits } from '@toolwright/core'
import { AttachedNodes } from './attached-nodes.js'
import { type LruEntry, SessionLru } from './session-lru.js'
import { callerOf } from './session-record.js'
import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'
import { Sweeper } from './sweeper.js'

export interface SessionStoreLimits {
  /** Maximum number of sessions. Default: 10,000. */
  readonly maxSessions: number
}

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
  readonly #nodes = new AttachedNodes(() => this.#sweeper.stop())
  readonly #sweeper = new Sweeper(() => {
    this.#deleteExpired()
    return this.size > 0
  })
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
    this.#sweeper.start(idleMs)
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
    this.#nodes.ended(sessionId)
  }

  forward(sessionId: string, message: string): void {
    if (this.isAlone) return
    this.#nodes.received(sessionId, message)
  }

  attach(node: SessionNode): () => void {
    return this.#nodes.attach(node)
  }

  get isAlone(): boolean {
    return this.#nodes.size === 1
  }

  get size(): number {
    return this.#unused.size + this.#used.size
  }

  get displaced(): number {
    return this.#displaced
  }

  #lifetime(idleMs: number): Pick<LruEntry, 'idleMs' | 'expiresAt'> {
    return { idleMs, expiresAt: this.now() + idleMs }
  }

  #find(sessionId: string): LruEntry | undefined {
    const stored = this.#used.get(sessionId) ?? this.#unused.get(sessionId)
    if (stored === undefined || stored.expiresAt >= this.now() || this.#nodes.isInUse(sessionId)) return stored
    this.delete(sessionId)
    return undefined
  }

  /**
   * Deletes expired sessions. Stops at the first valid session: usually all sessions have the same idle time, so the sessions
   * after it are also valid.
   */
  #deleteExpired(): void {
    for (const lru of this.#lrus) {
      for (const { record, expiresAt, idleMs } of lru.sessions) {
        if (expiresAt >= this.now()) break
        if (this.#nodes.isInUse(record.sessionId)) this.touch(record.sessionId, idleMs)
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
      if (this.#nodes.isInUse(sessionId)) continue
      this.delete(sessionId)
      this.#displaced++
      return true
    }
    return false
  }
}
