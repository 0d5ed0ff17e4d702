import type { HeldSession } from './held-session.js'
import type { SessionNode } from './session-store.js'

export class HeldSessions implements SessionNode, Iterable<HeldSession> {
  readonly #sessions = new Map<string, HeldSession>()
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * @param onCheck Called periodically while there are sessions.
   * @param checkMs Milliseconds between two calls of `onCheck`.
   * @param onEnded Called when a session has ended on all nodes.
   */
  constructor(
    private readonly onCheck: () => void,
    private readonly checkMs: number,
    private readonly onEnded: (sessionId: string) => void,
  ) {}

  get(id: string): HeldSession | undefined {
    return this.#sessions.get(id)
  }

  get size(): number {
    return this.#sessions.size
  }

  [Symbol.iterator](): Iterator<HeldSession> {
    return this.#sessions.values()
  }

  put(session: HeldSession): void {
    this.#sessions.delete(session.sessionId)
    this.#sessions.set(session.sessionId, session)
    this.#timer ??= setInterval(this.onCheck, this.checkMs).unref()
  }

  isInUse(sessionId: string): boolean {
    return this.#sessions.get(sessionId)?.isInUse === true
  }

  ended(sessionId: string): void {
    const session = this.#sessions.get(sessionId)
    if (session !== undefined && this.#remove(session)) session.ended()
    this.onEnded(sessionId)
  }

  received(sessionId: string, message: string): void {
    this.#sessions.get(sessionId)?.received(message)
  }

  /** Drops this node's part of a session. Does not change the session in the store. */
  drop(session: HeldSession, reason: string): void {
    if (this.#remove(session)) session.gone(reason)
  }

  evictIdle(): boolean {
    for (const session of this) {
      if (session.isInUse) continue
      this.drop(session, 'the session was evicted from the node')
      return true
    }
    return false
  }

  close(): void {
    for (const session of this) if (this.#remove(session)) session.serverClosed()
  }

  #remove({ sessionId }: HeldSession): boolean {
    if (!this.#sessions.delete(sessionId)) return false
    if (this.size > 0) return true
    clearInterval(this.#timer)
    this.#timer = undefined
    return true
  }
}
