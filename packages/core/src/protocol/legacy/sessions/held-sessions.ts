import { ProtocolError } from '../../../errors/protocol-error.js'
import type { Session } from './session.js'

/** The sessions that this node holds, least recently used first. */
export class HeldSessions implements Iterable<Session> {
  readonly #sessions = new Map<string, Session>()
  #looking: NodeJS.Timeout | null = null
  #isClosing = false

  /**
   * @param look Called periodically while there are sessions.
   * @param everyMs Milliseconds between calls.
   */
  constructor(
    private readonly look: () => void,
    private readonly everyMs: number,
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

  /** Adds a session, or moves it to the most recently used position. */
  put(session: Session): void {
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
    this.#looking ??= setInterval(this.look, this.everyMs).unref()
  }

  /**
   * Drops this node's part of a session. The session continues in the store, unless it has ended there.
   *
   * @param answer The error for its requests in flight.
   */
  letGo(session: Session, reason: string, answer: ProtocolError | null = null): void {
    if (!this.#sessions.delete(session.id)) return
    session.gone(reason, answer)
    if (this.size > 0 || this.#looking === null) return
    clearInterval(this.#looking)
    this.#looking = null
  }

  /** Drops the least recently used idle session. @returns Whether there was an idle session. */
  letLongestIdleGo(): boolean {
    for (const session of this) {
      if (session.isInUse) continue
      this.letGo(session, 'the session was evicted from the node')
      return true
    }
    return false
  }

  close(): void {
    // Listeners of an ending session may call this again. The outer call drops the other sessions, without recursion.
    if (this.#isClosing) return
    this.#isClosing = true
    try {
      const answer = new ProtocolError('unavailable', 'The server is closing')
      for (const session of this) this.letGo(session, 'the server was closed', answer)
    } finally {
      this.#isClosing = false
    }
  }
}
