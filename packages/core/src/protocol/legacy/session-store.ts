import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Principal } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import type { EventStore } from './event-store.js'
import { Session } from './session.js'
import { SessionStreams } from './session-streams.js'

export interface SessionLimits {
  /** At most so many at once. When all are in use, `initialize` is refused. */
  readonly maxSessions: number
  /** Milliseconds without a request after which a session is forgotten. */
  readonly sessionIdleMs: number
  /** Bytes of one stream that may wait for the event store. */
  readonly maxBufferedBytes: number
}

export interface SessionStoreInit {
  readonly limits: SessionLimits
  /** Keeps what the sessions' streams send. */
  readonly events: EventStore
  readonly log: Logger
  readonly now?: () => number
}

/** Milliseconds from one look at the sessions to the next. */
const sweepMs = 60_000

/** The sessions of one server, bounded in number and in idle time. Ids are random UUIDs: 122 bits from a CSPRNG. */
export class SessionStore {
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>()
  readonly #init: SessionStoreInit
  readonly #limits: SessionLimits
  readonly #now: () => number
  #sweeping: NodeJS.Timeout | null = null

  constructor(init: SessionStoreInit) {
    this.#init = init
    this.#limits = init.limits
    this.#now = init.now ?? Date.now
  }

  /** @throws LimitError when every session is in use. */
  open(principal: Principal | null): Session {
    this.#forgetIdle()
    if (this.#sessions.size >= this.#limits.maxSessions) this.#forgetLongestIdle()
    const session = this.#create(principal)
    this.#touch(session)
    this.#sweeping ??= setInterval(() => this.#sweep(), Math.min(sweepMs, this.#limits.sessionIdleMs)).unref()
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

  /** Ends every session. */
  close(): void {
    for (const session of this.#sessions.values()) this.end(session)
    this.#sweep()
  }

  get size(): number {
    return this.#sessions.size
  }

  #create(principal: Principal | null): Session {
    const { events, limits, log } = this.#init
    const id = randomUUID()
    const onUse = (): void => {
      if (this.#sessions.has(id)) this.#touch(session)
    }
    const streams = new SessionStreams({
      sessionId: id,
      store: events,
      log,
      maxWaiting: limits.maxBufferedBytes,
      primes: () => session.handshake?.revision.priming === true,
      onDetach: onUse,
    })
    const session = new Session(id, principal?.subject ?? null, streams, onUse)
    return session
  }

  #touch(session: Session): void {
    session.lastUsed = this.#now()
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
  }

  #isIdle(session: Session): boolean {
    return !session.isInUse && this.#now() - session.lastUsed > this.#limits.sessionIdleMs
  }

  #sweep(): void {
    this.#forgetIdle()
    if (this.#sessions.size > 0 || this.#sweeping === null) return
    clearInterval(this.#sweeping)
    this.#sweeping = null
  }

  #forgetIdle(): void {
    for (const session of this.#sessions.values()) {
      if (this.#isIdle(session)) this.end(session)
      else if (!session.isInUse) return
    }
  }

  /** A call that runs keeps its session; a stream that only listens does not, or listeners could fill the server. */
  #forgetLongestIdle(): void {
    for (const session of this.#sessions.values()) {
      if (session.inFlight > 0) continue
      this.end(session)
      return
    }
    throw new LimitError('unavailable', 'Too many sessions are in use', 10_000)
  }
}
