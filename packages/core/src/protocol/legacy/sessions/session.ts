import type { ProtocolError } from '../../../errors/protocol-error.js'
import type { SubscriptionQuota } from '../../../limits/subscription-quota.js'
import { type ExactId, encodeId, isRequestId, type RpcResponse } from '../../../rpc/messages.js'
import { Peer, type PeerState } from '../../peer.js'
import { isRandomId } from '../../random-id.js'
import type { Forwarder } from '../cluster/forwarder.js'
import { StreamMigration, type StreamMigrationInit } from '../cluster/stream-migration.js'
import { callerOf, changeRecord, decodeState } from './session-record.js'
import type { SessionRecord } from './session-store.js'
import type { SessionStreams } from './session-streams.js'

const cancelled = 'notifications/cancelled'

/** Nodes tell each other so of a session whose subscriptions are others now. No client has anything to do with it. */
const remembered = 'toolwright/session_remembered'

/** What serves sessions. */
interface SessionHost {
  readonly forwarder: Forwarder
  readonly migration: StreamMigrationInit
  readonly subscriptionQuota: SubscriptionQuota
  /** A request or connection has ended. */
  onUse(session: Session): void
  /** Reads what the store has of it. */
  refresh(session: Session): void | Promise<void>
  /** Replaces what the store has of it. */
  update(session: Session, change: (record: SessionRecord) => SessionRecord): void | Promise<void>
}

/**
 * The part of a legacy HTTP session that is this node's: its requests in flight, its questions, its streams. What the
 * session is lies in the store. Never a proof of identity.
 */
export class Session extends Peer {
  readonly id: string
  lastUsed = 0
  /** When the store last heard that it is used. */
  lastTouched = -Infinity
  readonly migration: StreamMigration
  /** Notifies the client of changes that it may have missed. */
  onMissed: () => void = () => undefined
  #isOutdated = false
  #record: SessionRecord

  constructor(
    record: SessionRecord,
    readonly streams: SessionStreams,
    private readonly host: SessionHost,
  ) {
    super(streams, host.subscriptionQuota, callerOf(record))
    this.id = record.sessionId
    this.#record = record
    this.state = decodeState(record)
    this.migration = new StreamMigration(this, host.migration, () => this.onMissed())
    streams.deliveredUpTo(record.delivered)
  }

  get record(): SessionRecord {
    return this.#record
  }

  /** What the store has of it now: another node may have changed it. */
  set record(record: SessionRecord) {
    this.#isOutdated = false
    if (record === this.#record) return
    const isRewound = record.delivered < this.#record.delivered
    this.#record = record
    this.state = decodeState(record)
    // Unless a store was lost, the place only grows.
    if (isRewound) this.streams.rewindTo(record.delivered)
    else this.streams.deliveredUpTo(record.delivered)
  }

  override remember(change: (state: PeerState) => PeerState): void | Promise<void> {
    const remembering = this.update((record) => changeRecord(record, change))
    return remembering instanceof Promise ? remembering.then(() => this.#tellTeller()) : this.#tellTeller()
  }

  override get isTeller(): boolean {
    const { listensAt } = this.#record
    return (listensAt ?? null) === null || listensAt === this.host.migration.node
  }

  override get mayBeOutdated(): boolean {
    return this.#isOutdated
  }

  override refresh(): void | Promise<void> {
    return this.host.refresh(this)
  }

  /** The node that tells the client of changes looks at the record before the next one. */
  #tellTeller(): void | Promise<void> {
    if (!this.isTeller) return this.tell({ jsonrpc: '2.0', method: remembered, params: {} })
  }

  update(change: (record: SessionRecord) => SessionRecord): void | Promise<void> {
    return this.host.update(this, change)
  }

  /** Tells the other nodes that share it. */
  tell(message: object): void | Promise<void> {
    return this.#tell(JSON.stringify(message))
  }

  #tell(text: string): void | Promise<void> {
    return this.host.forwarder.send(this.#record, text)
  }

  override cancel(id: unknown): void | Promise<void> {
    if (this.isInFlight(id)) return super.cancel(id)
    if (!isRequestId(id)) return undefined
    return this.#tell(`{"jsonrpc":"2.0","method":"${cancelled}","params":{"requestId":${encodeId(id)}}}`)
  }

  override answer(response: RpcResponse): void | Promise<void> {
    if (this.clientRequests.receive(response)) return undefined
    const { id, result, error } = response
    // As that of a question is.
    return isRandomId(id) ? this.tell({ jsonrpc: '2.0', id, result, error }) : undefined
  }

  /** What came to another node. It goes no further, or it would go round in circles. */
  received(text: string): void {
    const message = this.host.forwarder.read(text)
    if (message?.kind === 'response') void super.answer(message)
    // A node of another version may bring on more than these.
    else if (message?.kind !== 'notification') return
    else if (message.method === remembered) this.#isOutdated = true
    else if (message.method === cancelled) void super.cancel(message.params['requestId'])
    else this.migration.received(message.method, message.params)
  }

  /** A session is idle from the end of its last request on, not from its beginning. */
  override end(id: ExactId): void {
    super.end(id)
    this.host.onUse(this)
  }

  /** A connection to a stream has ended. */
  detached(): void {
    this.host.onUse(this)
    this.migration.detached()
  }

  /** Whether a request runs here, or the client listens here. */
  get isInUse(): boolean {
    return this.inFlight > 0 || this.streams.isFollowed
  }

  override gone(reason: string, answer: ProtocolError | null = null): void {
    super.gone(reason, answer)
    this.streams.close()
  }
}
