import { randomUUID } from 'node:crypto'
import { LimitError, type MaybePromise, type Principal } from '@toolwright/core'
import type { SessionServer, StoredSession } from '@toolwright/core/extension'
import { Forwarder } from './cluster/forwarder.js'
import { LateAnswers } from './cluster/late-answers.js'
import type { StreamMigrationInit } from './cluster/stream-migration.js'
import type { SessionStoreClient } from './connect-session-store.js'
import type { EventStore } from './event-store.js'
import { HeldSession, type SessionHome } from './held-session.js'
import { HeldSessions } from './held-sessions.js'
import { inBackground } from './in-background.js'
import { KeepAlive } from './keep-alive.js'
import { callerOf } from './session-record.js'
import type { SessionRecord } from './session-store.js'
import { SessionStreams } from './session-streams.js'

interface SessionsInit {
  readonly server: SessionServer
  readonly store: SessionStoreClient
  readonly events: EventStore
  readonly limits: {
    readonly maxSessions: number
    readonly sessionIdleMs: number
    readonly storeTimeoutMs: number
    readonly maxBufferedBytes: number
    readonly maxTotalStoredBytes: number
  }
  readonly ownerKeyOf: (principal: Principal | null) => string | null
  readonly warn: (message: string) => void
  readonly onClose: () => void
}

/** Maximum milliseconds between checks for idle sessions. This is also the minimum time between warnings of lost events. */
const checkMs = 60_000

const randomId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The legacy HTTP sessions that this node serves. The store has the records of the sessions. Other nodes can share the store.
 * Each node creates its own part of a session as soon as a request of the session reaches the node. A session id never
 * authenticates a caller.
 */
export class Sessions {
  readonly held: HeldSessions
  readonly #home: SessionHome
  readonly #keepAlive: KeepAlive
  readonly #lateAnswers: LateAnswers
  readonly #detach: () => void
  #endpoints = 0
  #rejected = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly init: SessionsInit) {
    const { server, limits, store, events } = init
    const { sessionIdleMs } = limits
    this.held = new HeldSessions(
      () => this.#check(),
      Math.min(checkMs, sessionIdleMs / 3),
      // The error is ignored, because the store client has logged it. The remaining events expire later in the store.
      (id) => inBackground(events.delete(id)),
    )
    this.#keepAlive = new KeepAlive(sessionIdleMs, (id) => store.touch(id, sessionIdleMs))
    this.#lateAnswers = new LateAnswers(limits.maxTotalStoredBytes)
    const migration: StreamMigrationInit = {
      node: server.catalog.node,
      canForward: store.canForward,
      waitMs: limits.storeTimeoutMs,
    }
    const forwarder = new Forwarder(store)
    this.#home = { server, store, node: this.held, forwarder, migration, onUse: (session) => this.#onUse(session) }
    this.#detach = store.attach(this.held)
  }

  async open(opened: StoredSession): Promise<string> {
    const record: SessionRecord = { sessionId: randomUUID(), delivered: 0, ...opened }
    if (await this.init.store.create(record, this.init.limits.sessionIdleMs)) return record.sessionId
    throw this.#quotaExceeded()
  }

  find(id: string, principal: Principal | null): MaybePromise<HeldSession | undefined> {
    const held = this.held.get(id)
    // Other ids are not looked up.
    if (held === undefined && !randomId.test(id)) return undefined
    return this.init.store.get(id, held?.record, (record) => this.#use(id, record, principal))
  }

  async end({ sessionId }: { readonly sessionId: string }): Promise<void> {
    await this.init.store.delete(sessionId)
    this.held.ended(sessionId)
  }

  registerEndpoint(): () => void {
    this.#endpoints++
    return () => {
      this.#endpoints--
      if (this.#endpoints === 0) this.#abandonClientRequests()
    }
  }

  close(): void {
    this.#detach()
    this.held.close()
    this.init.onClose()
  }

  get size(): number {
    return this.init.store.size ?? this.held.size
  }

  /** Number of sessions since the start that were rejected, because all others were in use. */
  get rejected(): number {
    return this.#rejected
  }

  #onUse(session: HeldSession): void {
    if (this.held.get(session.sessionId) !== session) return
    const now = performance.now()
    session.lastUsed = now
    if (!this.#keepAlive.isDue(session, now)) return
    session.lastTouched = now
    this.held.put(session)
    this.#keepAlive.touch(session)
  }

  #use(id: string, record: SessionRecord | undefined, principal: Principal | null): HeldSession | undefined {
    const held = this.held.get(id)
    if (record === undefined) {
      if (held !== undefined) this.held.ended(id)
      return undefined
    }
    if (record.owner !== this.init.ownerKeyOf(principal)) return undefined
    // Nodes can offer different revisions, for example during a deployment. If this node lacks the revision, the client starts a
    // new session.
    const revision = this.init.server.revisions.find('legacy', record.protocolVersion)
    if (revision === undefined) return undefined
    const session = held ?? this.#hold(record, revision.priming)
    session.load(record)
    session.principal = principal
    if (held === undefined) session.onMissed = session.startNotifications()
    this.#onUse(session)
    return session
  }

  #hold(record: SessionRecord, hasPriming: boolean): HeldSession {
    if (this.held.size >= this.init.limits.maxSessions && !this.held.evictIdle()) throw this.#quotaExceeded()
    const session = new HeldSession(record, this.#openStreams(record, hasPriming), this.#home)
    this.held.put(session)
    return session
  }

  #openStreams(record: SessionRecord, hasPriming: boolean): SessionStreams {
    const { events, limits } = this.init
    const { sessionId } = record
    return new SessionStreams({
      sessionId,
      caller: callerOf(record),
      store: events,
      lateAnswers: this.#lateAnswers,
      maxWaiting: limits.maxBufferedBytes,
      onLost: () => this.#warnOfLoss(),
      hasPriming,
      onDetach: () => this.held.get(sessionId)?.detached(),
    })
  }

  #warnOfLoss(): void {
    const now = performance.now()
    if (now - this.#warnedAt < checkMs) return
    this.#warnedAt = now
    this.init.warn('the event store has lost delivered events: GET streams continue at its current position')
  }

  #abandonClientRequests(): void {
    const { store } = this.init
    if (store.canForward && !store.isAlone) return
    const reason = 'The server is closing, so the client cannot answer'
    for (const { clientRequests } of this.held) clientRequests.abandon(reason)
  }

  #quotaExceeded(): LimitError {
    this.#rejected++
    return new LimitError('unavailable', 'Too many sessions are in use', 10_000)
  }

  #check(): void {
    const oldest = performance.now() - this.init.limits.sessionIdleMs
    for (const session of this.held) {
      if (session.isInUse) this.#keepAlive.touch(session)
      else if (session.lastUsed < oldest) inBackground(this.#dropIdle(session))
    }
  }

  /** Drops an idle session. The session can continue on another node, or could have ended without a notice from the store. */
  async #dropIdle(session: HeldSession): Promise<void> {
    if (await this.init.store.has(session.sessionId)) this.held.drop(session, 'the session was idle')
    else this.held.ended(session.sessionId)
  }
}
