import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalog } from '../../catalog/catalog.js'
import type { ChangeBus } from '../../context/changes.js'
import { type Principal, principalKey } from '../../context/principal.js'
import { LimitError } from '../../errors/limit-error.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { Limits } from '../../limits/limits.js'
import { StoreGuard, type StoreGuardInit } from '../../limits/store-guard.js'
import type { Plans } from '../../plan/plans.js'
import type { Handshake, PeerState } from '../peer.js'
import { isRandomId } from '../random-id.js'
import { channelId } from './event-id.js'
import type { EventStore } from './event-store.js'
import { Forwarder } from './forwarder.js'
import { LateAnswers } from './late-answers.js'
import { Session } from './session.js'
import { sessionNotFound } from './session-not-found.js'
import { callerOf, changeRecord, createRecord, type Opener, readRecord } from './session-record.js'
import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'
import { SessionStreams } from './session-streams.js'
import { tellOfChanges } from './subscriptions.js'

interface SessionsInit {
  readonly limits: Limits
  readonly store: SessionStore
  /** Keeps what the sessions' streams send. */
  readonly events: EventStore
  readonly catalog: Catalog
  readonly plans: Plans
  readonly changeBus: ChangeBus
  readonly guards: StoreGuardInit
  readonly log: Logger
}

/** Milliseconds from one look at the sessions to the next, at most. */
const lookMs = 60_000

/** Milliseconds for which the store need not hear again that a session is used, at most. */
const touchMs = 1000

/**
 * The legacy HTTP sessions that this node serves. What they are lies in the store, which other nodes may share; the part
 * of a session that is a node's own is made when its first request comes to the node, on whichever it was opened.
 */
export class Sessions implements SessionNode {
  readonly node: string = randomUUID()
  /** Own parts, least recently used first. */
  readonly #held = new Map<string, Session>()
  readonly #touching = new Set<string>()
  readonly #guard: StoreGuard
  /** Its own, because what nobody waits for can fail while the rest does not. */
  readonly #touchGuard: StoreGuard
  readonly #forwarder: Forwarder
  readonly #lateAnswers: LateAnswers
  readonly #detach: () => void
  #looking: NodeJS.Timeout | null = null
  #isClosing = false
  #refused = 0

  constructor(private readonly init: SessionsInit) {
    const { limits, store, guards, log } = init
    const guard = (what: string): StoreGuard => new StoreGuard(what, 'Sessions are not available at present', guards)
    this.#guard = guard('the session store')
    this.#touchGuard = guard('keeping sessions alive in the session store')
    this.#forwarder = new Forwarder(store, guard('bringing messages to other nodes'), log)
    this.#lateAnswers = new LateAnswers(limits.maxTotalStoredBytes)
    this.#detach = store.attach(this)
  }

  /** Opens a session. @returns Its id. @throws ProtocolError (503) when there is no room, or the store fails. */
  open(handshake: Handshake, opener: Opener): string | Promise<string> {
    const { store, limits } = this.init
    // 122 bits from a CSPRNG: nobody finds one by trying.
    const record = createRecord(randomUUID(), opener, handshake)
    const create = (): boolean | Promise<boolean> => store.create(record, limits.sessionIdleMs)
    return this.#guard.ask<unknown, string>(create, (isKept) => {
      if (isKept === true) return record.sessionId
      if (isKept === false) throw this.#noRoom()
      throw new Error('The session store answered neither true nor false to a new session')
    })
  }

  /**
   * The session with this id, its own part of this node made where there is none yet. Unknown, ended, expired and somebody
   * else's look all the same, and make nothing.
   *
   * @throws ProtocolError (503) when the store fails.
   */
  find(id: string, principal: Principal | null): Session | undefined | Promise<Session | undefined> {
    if (!this.#held.has(id) && !isRandomId(id)) return undefined
    return this.#guard.ask(
      () => this.init.store.get(id),
      (record) => this.#use(id, record, principal),
    )
  }

  /** Ends a session everywhere. @throws ProtocolError (503) when the store fails. */
  end({ id }: Session): void | Promise<void> {
    return this.#guard.ask(
      () => this.init.store.delete(id),
      () => this.ended(id),
    )
  }

  /** Lets go of every session. Those in a store that others share go on there. */
  close(): void {
    this.#detach()
    // From inside what ends with a session: the rest ends after that one, and not within, however many there are.
    if (this.#isClosing) return
    this.#isClosing = true
    try {
      for (const session of this.#held.values()) this.#letGo(session, 'the server was closed')
    } finally {
      this.#isClosing = false
    }
  }

  /** Sessions at present: in the store, where that can tell, or else those that this node holds a part of. */
  get size(): number {
    return this.init.store.size ?? this.#held.size
  }

  /** Sessions that this node holds a part of. */
  get held(): number {
    return this.#held.size
  }

  /** Requests since the start for which there was no room, because all sessions are in use. */
  get refused(): number {
    return this.#refused
  }

  isInUse(sessionId: string): boolean {
    return this.#held.get(sessionId)?.isInUse === true
  }

  ended(sessionId: string): void {
    const session = this.#held.get(sessionId)
    if (session !== undefined) this.#letGo(session, 'the session ended')
    // The store has told the log where it fails. What it still has is forgotten in its time.
    this.init.events.forget(sessionId).catch(() => undefined)
  }

  received(sessionId: string, message: string): void {
    this.#held.get(sessionId)?.received(message)
  }

  onUse(session: Session): void {
    if (this.#held.get(session.id) !== session) return
    const now = Date.now()
    session.lastUsed = now
    // A busy client would have it told twice for each request. Whether before or after: the clock may have been set back.
    if (Math.abs(now - session.lastTouched) < Math.min(touchMs, this.init.limits.sessionIdleMs / 20)) return
    session.lastTouched = now
    this.#held.delete(session.id)
    this.#held.set(session.id, session)
    this.#touch(session.id)
  }

  change(session: Session, change: (state: PeerState) => PeerState): void | Promise<void> {
    return this.#update(session, (record) => changeRecord(record, change))
  }

  #update(session: Session, change: (record: SessionRecord) => SessionRecord): void | Promise<void> {
    const { id } = session
    return this.#guard.ask(
      () => this.init.store.update(id, (record) => change(readRecord(record, id))),
      (record) => {
        if (record !== undefined) session.record = readRecord(record, id)
        else {
          this.ended(id)
          throw sessionNotFound()
        }
      },
    )
  }

  #use(id: string, answer: unknown, principal: Principal | null): Session | undefined {
    const held = this.#held.get(id)
    if (answer === undefined) {
      if (held !== undefined) this.ended(id)
      return undefined
    }
    const record = answer === held?.record ? held.record : readRecord(answer, id)
    if (record.owner !== principalKey(principal)) return undefined
    const session = held ?? this.#hold(record)
    session.record = record
    session.principal = principal
    this.onUse(session)
    return session
  }

  #hold(record: SessionRecord): Session {
    if (this.#held.size >= this.init.limits.maxSessions) this.#letLongestIdleGo()
    const session = new Session(record, this.#openStreams(record, callerOf(record)), this, this.#forwarder)
    this.#held.set(session.id, session)
    tellOfChanges(session, this.init)
    const everyMs = Math.max(1, Math.min(lookMs, this.init.limits.sessionIdleMs / 3))
    this.#looking ??= setInterval(() => this.#look(), everyMs).unref()
    return session
  }

  #openStreams({ sessionId }: SessionRecord, caller: string): SessionStreams {
    const { events, limits } = this.init
    return new SessionStreams({
      sessionId,
      caller,
      store: events,
      lateAnswers: this.#lateAnswers,
      maxWaiting: limits.maxBufferedBytes,
      primes: () => this.#held.get(sessionId)?.state.handshake?.revision.priming === true,
      take: (streamId, isPlaceKnown) => this.#take(sessionId, streamId, isPlaceKnown),
      onDetach: (delivered) => this.#detached(sessionId, delivered),
    })
  }

  /** Where nodes cannot tell each other, each has its own connection to a stream. */
  async #take(id: string, streamId: string, isPlaceKnown: boolean): Promise<void> {
    const session = this.#held.get(id)
    if (session === undefined || this.init.store.forward === undefined) return
    if (streamId !== channelId) return session.handover.take(streamId)
    await this.#update(session, (record) => {
      const listensAt = record.listensAt ?? null
      session.handover.found(listensAt)
      return listensAt === this.node ? record : { ...record, listensAt: this.node }
    })
    await session.handover.takeChannel(isPlaceKnown ? 0 : this.init.limits.storeTimeoutMs)
  }

  /** Where the client's next GET stream goes on, on whichever node that is. */
  #detached(id: string, delivered: number): void {
    const session = this.#held.get(id)
    if (session === undefined) return
    this.onUse(session)
    const hasLeft = ({ listensAt }: SessionRecord): boolean => listensAt === this.node && !session.streams.hasChannel
    if (delivered <= session.record.delivered && !hasLeft(session.record)) return
    void this.#inBackground(() =>
      this.#update(session, (record) => ({
        ...record,
        delivered: Math.max(record.delivered, delivered),
        ...(hasLeft(record) ? { listensAt: null } : {}),
      })),
    )
  }

  /** One at a time for each session: a store that is slow gets no queue. */
  #touch(id: string): void {
    if (this.#touching.has(id)) return
    const { store, limits } = this.init
    const touching = this.#inBackground(() =>
      this.#touchGuard.ask(
        () => store.touch(id, limits.sessionIdleMs),
        () => undefined,
      ),
    )
    if (touching === null) return
    this.#touching.add(id)
    void touching.finally(() => this.#touching.delete(id))
  }

  /** The guard has logged what goes wrong, and the next request finds out for itself. @returns `null` when all is done. */
  #inBackground(run: () => void | Promise<void>): Promise<void> | null {
    try {
      const running = run()
      return running instanceof Promise ? running.catch(() => undefined) : null
    } catch {
      return null
    }
  }

  #letGo(session: Session, reason: string): void {
    if (!this.#held.delete(session.id)) return
    session.gone(reason)
    if (this.#held.size > 0 || this.#looking === null) return
    clearInterval(this.#looking)
    this.#looking = null
  }

  /** Its session goes on in the store. */
  #letLongestIdleGo(): void {
    for (const session of this.#held.values()) {
      if (session.isInUse) continue
      this.#letGo(session, 'the node needed the room')
      return
    }
    throw this.#noRoom()
  }

  #noRoom(): ProtocolError {
    this.#refused++
    return new LimitError('unavailable', 'Too many sessions are in use', 10_000)
  }

  /** Keeps in the store what is in use here, and lets go of what was idle for too long. */
  #look(): void {
    const oldest = Date.now() - this.init.limits.sessionIdleMs
    for (const session of this.#held.values()) {
      if (session.isInUse) this.#touch(session.id)
      else if (session.lastUsed < oldest) this.#letIdleGo(session)
    }
  }

  /** It may go on on another node, or have ended without a word from the store. */
  #letIdleGo(session: Session): void {
    void this.#inBackground(() =>
      this.#guard.ask(
        () => this.init.store.get(session.id),
        (record) => (record === undefined ? this.ended(session.id) : this.#letGo(session, 'the session was idle')),
      ),
    )
  }
}
