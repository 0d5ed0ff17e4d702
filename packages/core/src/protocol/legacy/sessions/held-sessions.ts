import { ProtocolError } from '../../../errors/protocol-error.js'
import type { Session } from './session.js'

/** A node's own parts of sessions, least recently used first. */
export class HeldSessions implements Iterable<Session> {
  readonly #sessions = new Map<string, Session>()
  #looking: NodeJS.Timeout | null = null
  #isClosing = false

  /**
   * @param look Called now and then while there are any.
   * @param everyMs Milliseconds from one time to the next.
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

  /** From now on it is the one that was used last of all, whether it was there or not. */
  put(session: Session): void {
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
    this.#looking ??= setInterval(this.look, this.everyMs).unref()
  }

  /**
   * Its session goes on in the store, unless it has ended there.
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

  /** @returns Whether there was one that is not in use. */
  letLongestIdleGo(): boolean {
    for (const session of this) {
      if (session.isInUse) continue
      this.letGo(session, 'the node needed the room')
      return true
    }
    return false
  }

  /** Lets go of all. */
  close(): void {
    // From inside what ends with a session: the rest ends after that one, and not within, however many there are.
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
