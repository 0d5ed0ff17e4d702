import { ProtocolError } from '../../../errors/protocol-error.js'
import type { Session } from './session.js'

export class HeldSessions implements Iterable<Session> {
  readonly #sessions = new Map<string, Session>()
  #timer: NodeJS.Timeout | undefined = undefined

  /**
   * @param onCheck Called periodically while there are sessions.
   * @param checkMs Milliseconds between two calls of `onCheck`.
   */
  constructor(
    private readonly onCheck: () => void,
    private readonly checkMs: number,
  ) {}

  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  get size(): number {
    return this.#sessions.size
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions.values()
  }

  put(session: Session): void {
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
    this.#timer ??= setInterval(this.onCheck, this.checkMs).unref()
  }

  /**
   * Drops this node's part of a session. Does not change the session in the store.
   *
   * @param answer The error for the session's requests in flight.
   */
  drop(session: Session, reason: string, answer: ProtocolError | null = null): void {
    if (!this.#sessions.delete(session.id)) return
    session.gone(reason, answer)
    if (this.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
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
    const answer = new ProtocolError('unavailable', 'The server is closing')
    for (const session of this) this.drop(session, 'the server was closed', answer)
  }
}
