import { randomUUID } from 'node:crypto'
import type { Principal } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { RequestId } from '../../rpc/messages.js'
import { Peer } from '../peer.js'

export interface SessionLimits {
  /** At most so many at once. When all are in use, `initialize` is refused. */
  readonly maxSessions: number
  /** Milliseconds without a request after which a session is forgotten. */
  readonly sessionIdleMs: number
}

/** A legacy HTTP session: what its `initialize` agreed, and its requests in flight. Never a proof of identity. */
export class Session extends Peer {
  readonly id = randomUUID()
  lastUsed = 0

  constructor(
    private readonly subject: string | null,
    private readonly onUse: (session: Session) => void,
  ) {
    // Nothing is sent outside of a response.
    super({ send: () => undefined })
  }

  /** A session is idle from the end of its last request on, not from its beginning. */
  override end(id: RequestId): void {
    super.end(id)
    this.onUse(this)
  }

  belongsTo(principal: Principal | null): boolean {
    return this.subject === (principal?.subject ?? null)
  }
}

/** The sessions of one server, bounded in number and in idle time. Ids are random UUIDs: 122 bits from a CSPRNG. */
export class SessionStore {
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>()

  constructor(
    private readonly limits: SessionLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ProtocolError when every session is in use. */
  open(principal: Principal | null): Session {
    this.#forgetIdle()
    if (this.#sessions.size >= this.limits.maxSessions) this.#forgetLongestIdle()
    const session = new Session(principal?.subject ?? null, (used) => {
      if (this.#sessions.has(used.id)) this.#touch(used)
    })
    this.#touch(session)
    return session
  }

  /** The session with this id; unknown, ended, expired and somebody else's look all the same. */
  find(id: string, principal: Principal | null): Session | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined || !session.belongsTo(principal)) return undefined
    if (this.#isIdle(session)) {
      this.end(session)
      return undefined
    }
    this.#touch(session)
    return session
  }

  end(session: Session): void {
    this.#sessions.delete(session.id)
    session.gone('the session ended')
  }

  get size(): number {
    return this.#sessions.size
  }

  #touch(session: Session): void {
    session.lastUsed = this.now()
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
  }

  #isIdle(session: Session): boolean {
    return session.inFlight === 0 && this.now() - session.lastUsed > this.limits.sessionIdleMs
  }

  #forgetIdle(): void {
    for (const session of this.#sessions.values()) {
      if (this.#isIdle(session)) this.end(session)
      else if (session.inFlight === 0) return
    }
  }

  #forgetLongestIdle(): void {
    for (const session of this.#sessions.values()) {
      if (session.inFlight > 0) continue
      this.end(session)
      return
    }
    throw new ProtocolError('internalError', 'Too many sessions are in use. Try again later')
  }
}
