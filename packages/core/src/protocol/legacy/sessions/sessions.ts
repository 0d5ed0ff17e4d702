import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalog } from '../../../catalog/catalog.js'
import type { ChangeBus } from '../../../context/changes.js'
import { type Principal, principalKey } from '../../../context/principal.js'
import { LimitError } from '../../../errors/limit-error.js'
import { logFailure, tryLog } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import { runFenced } from '../../../errors/run-fenced.js'
import type { Limits } from '../../../limits/limits.js'
import { inBackground, StoreClient, type StoreClientInit } from '../../../limits/store-client.js'
import type { SubscriptionQuota } from '../../../limits/subscription-quota.js'
import type { Plans } from '../../../plan/plans.js'
import type { MaybePromise } from '../../../timing/maybe-promise.js'
import type { Handshake } from '../../peer.js'
import type { OfferedRevisions, Revision } from '../../revisions.js'
import { Forwarder } from '../cluster/forwarder.js'
import { LateAnswers } from '../cluster/late-answers.js'
import type { StreamMigrationInit } from '../cluster/stream-migration.js'
import { digestLists, notifyChangedLists, rememberLists } from '../notify-changed-lists.js'
import { notifyChanges } from '../notify-changes.js'
import type { EventStore } from './event-store.js'
import { HeldSessions } from './held-sessions.js'
import { KeepAlive } from './keep-alive.js'
import { isRandomId, Session } from './session.js'
import { callerOf, createRecord, type Opener, readRecord } from './session-record.js'
import type { SessionNode, SessionRecord, SessionStore } from './session-store.js'
import { SessionStreams } from './session-streams.js'

interface SessionsInit {
  readonly limits: Limits
  readonly store: SessionStore
  readonly events: EventStore
  readonly catalog: Catalog
  readonly plans: Plans
  readonly revisions: OfferedRevisions
  readonly changeBus: ChangeBus
  readonly notifyChanges: boolean
  readonly storeClients: StoreClientInit
  readonly subscriptionQuota: SubscriptionQuota
  readonly log: Logger
}

/** Maximum milliseconds between checks for idle sessions. This is also the minimum time between warnings of lost events. */
const checkMs = 60_000

export function sessionNotFound(): ProtocolError {
  return new ProtocolError('sessionNotFound', 'Session not found: call initialize again')
}

/**
 * The legacy HTTP sessions that this node serves. The store has the records of the sessions. Other nodes can share the store.
 * Each node creates its own part of a session as soon as a request of the session reaches the node.
 */
export class Sessions implements SessionNode {
  readonly forwarder: Forwarder
  readonly migration: StreamMigrationInit
  readonly subscriptionQuota: SubscriptionQuota
  readonly #held: HeldSessions
  readonly #client: StoreClient
  readonly #keepAlive: KeepAlive
  readonly #lateAnswers: LateAnswers
  readonly #detach: () => void
  #inputs = 0
  #rejected = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly init: SessionsInit) {
    const { limits, store, storeClients, log } = init
    const clientOf = (what: string): StoreClient =>
      new StoreClient(what, 'Sessions are temporarily unavailable', storeClients)
    this.subscriptionQuota = init.subscriptionQuota
    this.#held = new HeldSessions(() => this.#check(), Math.min(checkMs, limits.sessionIdleMs / 3))
    this.#client = clientOf('the session store')
    this.#keepAlive = new KeepAlive(
      store,
      limits.sessionIdleMs,
      clientOf('keeping sessions alive in the session store'),
    )
    this.forwarder = new Forwarder(store, clientOf('forwarding messages to other nodes'), log)
    this.#lateAnswers = new LateAnswers(limits.maxTotalStoredBytes)
    const canForward = store.forward !== undefined
    this.migration = { node: randomUUID(), canForward, waitMs: limits.storeTimeoutMs }
    this.#detach = store.attach(this)
  }

  /**
   * Opens a session. @returns The id of the session. Rejects with a ProtocolError (503) if the limit is reached, or the store
   * fails.
   */
  async open(handshake: Handshake, opener: Opener): Promise<string> {
    const { store, limits, catalog } = this.init
    const lists = digestLists(catalog, opener)
    const record = createRecord(randomUUID(), opener, handshake, lists)
    return this.#client.ask<unknown, string>(
      () => store.create(record, limits.sessionIdleMs),
      (isKept) => {
        if (isKept === true) return record.sessionId
        if (isKept === false) throw this.#quotaExceeded()
        throw new Error('The session store returned neither true nor false for a new session')
      },
    )
  }

  /**
   * Finds a session, and creates this node's part of the session if needed. Returns `undefined` for unknown, ended and expired
   * sessions, and for sessions of other callers.
   *
   * @throws ProtocolError (503) if the store fails.
   */
  find(id: string, principal: Principal | null): MaybePromise<Session | undefined> {
    if (this.#held.get(id) === undefined && !isRandomId(id)) return undefined
    return this.#client.ask(
      () => this.init.store.get(id),
      (record) => this.#use(id, record, principal),
    )
  }

  async end({ id }: Session): Promise<void> {
    return this.#client.ask(
      () => this.init.store.delete(id),
      () => this.ended(id),
    )
  }

  /**
   * Registers an endpoint that accepts messages. @returns A function that unregisters the endpoint. When the last endpoint is
   * unregistered, calls stop waiting for answers of clients, unless other nodes can forward answers.
   */
  registerEndpoint(): () => void {
    this.#inputs++
    return () => {
      this.#inputs--
      if (this.#inputs === 0) this.#inputEnded()
    }
  }

  close(): void {
    const { log } = this.init
    runFenced(this.#detach, (error) => logFailure(log, error, {}, 'the session store could not be detached'))
    this.#held.close()
  }

  get size(): number {
    return this.init.store.size ?? this.#held.size
  }

  get held(): number {
    return this.#held.size
  }

  get rejected(): number {
    return this.#rejected
  }

  isInUse(sessionId: string): boolean {
    return this.#held.get(sessionId)?.isInUse === true
  }

  ended(sessionId: string): void {
    const session = this.#held.get(sessionId)
    if (session !== undefined) this.#held.drop(session, 'the session ended', sessionNotFound())
    // The error is ignored, because the store client has logged it. The remaining events expire later in the store.
    this.init.events.delete(sessionId).catch(() => undefined)
  }

  received(sessionId: string, message: string): void {
    this.#held.get(sessionId)?.received(message)
  }

  onUse(session: Session): void {
    if (this.#held.get(session.id) !== session) return
    const now = performance.now()
    session.lastUsed = now
    if (!this.#keepAlive.isDue(session, now)) return
    session.lastTouched = now
    this.#held.put(session)
    this.#keepAlive.touch(session)
  }

  async refresh(session: Session): Promise<void> {
    const { id } = session
    return this.#client.ask(
      () => this.init.store.get(id),
      (record) => {
        if (record === undefined) this.ended(id)
        else session.record = record === session.record ? record : readRecord(record, id)
      },
    )
  }

  async update(session: Session, change: (record: SessionRecord) => SessionRecord): Promise<void> {
    const { id } = session
    return this.#client.ask(
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
    // Nodes can offer different revisions, for example during a deployment. If this node lacks the revision, the client starts a
    // new session.
    const revision = this.init.revisions.find('legacy', record.protocolVersion)
    if (revision === undefined) return undefined
    const session = held ?? this.#hold(record, revision)
    session.record = record
    session.principal = principal
    if (held === undefined) inBackground(notifyChangedLists(session, this.init.catalog))
    this.onUse(session)
    return session
  }

  #hold(record: SessionRecord, revision: Revision): Session {
    if (this.#held.size >= this.init.limits.maxSessions && !this.#held.evictIdle()) throw this.#quotaExceeded()
    const session = new Session(record, this.#openStreams(record, revision), this)
    this.#held.put(session)
    const { catalog } = this.init
    session.onMissed = notifyChanges(session, this.init, () => inBackground(rememberLists(session, catalog)))
    return session
  }

  #openStreams(record: SessionRecord, revision: Revision): SessionStreams {
    const { events, limits } = this.init
    const { sessionId } = record
    return new SessionStreams({
      sessionId,
      caller: callerOf(record),
      store: events,
      lateAnswers: this.#lateAnswers,
      maxWaiting: limits.maxBufferedBytes,
      onLost: () => this.#warnOfLoss(),
      hasPriming: revision.priming,
      onDetach: () => this.#held.get(sessionId)?.detached(),
    })
  }

  #warnOfLoss(): void {
    const now = performance.now()
    if (now - this.#warnedAt < checkMs) return
    this.#warnedAt = now
    tryLog(() =>
      this.init.log.warn('the event store has lost delivered events: GET streams continue at its current position'),
    )
  }

  #inputEnded(): void {
    const { store } = this.init
    if (store.forward !== undefined && store.isAlone !== true) return
    const reason = 'The server is closing, so the client cannot answer'
    for (const { clientRequests } of this.#held) clientRequests.abandon(reason)
  }

  #quotaExceeded(): ProtocolError {
    this.#rejected++
    return new LimitError('unavailable', 'Too many sessions are in use', 10_000)
  }

  #check(): void {
    const oldest = performance.now() - this.init.limits.sessionIdleMs
    for (const session of this.#held) {
      if (session.isInUse) this.#keepAlive.touch(session)
      else if (session.lastUsed < oldest) inBackground(this.#dropIdle(session))
    }
  }

  /** Drops an idle session. The session can continue on another node, or could have ended without a notice from the store. */
  async #dropIdle(session: Session): Promise<void> {
    await this.#client.ask(
      () => this.init.store.get(session.id),
      (record) => (record === undefined ? this.ended(session.id) : this.#held.drop(session, 'the session was idle')),
    )
  }
}
