import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'

/** Bounds of the sessions in the memory of this process. */
export interface SessionStoreLimits {
  /** At most so many at once. */
  readonly maxSessions: number
}

interface Kept {
  readonly record: SessionRecord
  readonly idleMs: number
  readonly expiresAt: number
}

/** Milliseconds from one look at the sessions to the next. */
const sweepMs = 60_000

/**
 * The embedded default. Over the limit a session makes room that was never used after `initialize`, or else the one that
 * was unused for longest; none that a node uses at present, and when all are, there is no room.
 */
export class InMemorySessionStore implements SessionStore {
  /** Opened and never used, oldest first: a flood of `initialize` drives out itself. */
  readonly #unused = new Map<string, Kept>()
  /** Least recently used first. */
  readonly #used = new Map<string, Kept>()
  readonly #nodes = new Set<SessionNode>()
  #sweeping: NodeJS.Timeout | null = null
  #displaced = 0

  constructor(
    private readonly limits: SessionStoreLimits,
    private readonly now: () => number = Date.now,
  ) {}

  create(record: SessionRecord, idleMs: number): boolean {
    this.#forgetExpired()
    if (this.size >= this.limits.maxSessions && !this.#makeRoom()) return false
    this.#unused.set(record.sessionId, this.#kept(record, idleMs))
    this.#sweeping ??= setInterval(() => this.#sweep(), Math.min(sweepMs, idleMs)).unref()
    return true
  }

  get(sessionId: string): SessionRecord | undefined {
    return this.#find(sessionId)?.record
  }

  update(sessionId: string, change: (record: SessionRecord) => SessionRecord): SessionRecord | undefined {
    const kept = this.#find(sessionId)
    if (kept === undefined) return undefined
    const record = change(kept.record)
    const shelf = this.#used.has(sessionId) ? this.#used : this.#unused
    shelf.set(sessionId, { ...kept, record })
    return record
  }

  touch(sessionId: string, idleMs: number): void {
    const kept = this.#find(sessionId)
    if (kept === undefined) return
    this.#unused.delete(sessionId)
    this.#used.delete(sessionId)
    this.#used.set(sessionId, this.#kept(kept.record, idleMs))
  }

  delete(sessionId: string): void {
    if (!this.#unused.delete(sessionId) && !this.#used.delete(sessionId)) return
    for (const node of this.#nodes) node.ended(sessionId)
  }

  forward(sessionId: string, message: string): void {
    // Most servers are alone with their store.
    if (this.#nodes.size === 1) return
    for (const node of this.#nodes) node.received(sessionId, message)
  }

  attach(node: SessionNode): () => void {
    this.#nodes.add(node)
    return () => this.#nodes.delete(node)
  }

  get size(): number {
    return this.#unused.size + this.#used.size
  }

  /** Sessions since the start that ended because others needed their room. */
  get displaced(): number {
    return this.#displaced
  }

  #kept(record: SessionRecord, idleMs: number): Kept {
    return { record, idleMs, expiresAt: this.now() + idleMs }
  }

  #find(sessionId: string): Kept | undefined {
    const kept = this.#used.get(sessionId) ?? this.#unused.get(sessionId)
    if (kept === undefined || kept.expiresAt >= this.now() || this.#isInUse(sessionId)) return kept
    this.delete(sessionId)
    return undefined
  }

  #isInUse(sessionId: string): boolean {
    for (const node of this.#nodes) if (node.isInUse(sessionId)) return true
    return false
  }

  /** Looks no further than the first that has not expired: most servers have one idle time for all. */
  #forgetExpired(): void {
    for (const shelf of [this.#unused, this.#used]) {
      for (const [sessionId, { expiresAt, idleMs }] of shelf) {
        if (expiresAt >= this.now()) break
        if (this.#isInUse(sessionId)) this.touch(sessionId, idleMs)
        else this.delete(sessionId)
      }
    }
  }

  #makeRoom(): boolean {
    for (const shelf of [this.#unused, this.#used]) {
      for (const sessionId of shelf.keys()) {
        if (this.#isInUse(sessionId)) continue
        this.delete(sessionId)
        this.#displaced++
        return true
      }
    }
    return false
  }

  #sweep(): void {
    this.#forgetExpired()
    if (this.size > 0 || this.#sweeping === null) return
    clearInterval(this.#sweeping)
    this.#sweeping = null
  }
}
