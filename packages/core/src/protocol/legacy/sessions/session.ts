import type { ProtocolError } from '../../../errors/protocol-error.js'
import { type ExactId, encodeId, isRequestId, type RpcResponse } from '../../../rpc/messages.js'
import { Peer, type PeerState } from '../../peer.js'
import { StreamMigration } from '../cluster/stream-migration.js'
import { callerOf, changeRecord, decodeState } from './session-record.js'
import type { SessionRecord } from './session-store.js'
import type { SessionStreams } from './session-streams.js'
import type { Sessions } from './sessions.js'

const cancelled = 'notifications/cancelled'

/** Message between nodes: the stored state of a session has changed. Clients never get this message. */
const remembered = 'toolwright/session_remembered'

const randomId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a value has the format of `randomUUID`. Other ids are neither looked up nor forwarded. */
export function isRandomId(id: unknown): boolean {
  return typeof id === 'string' && randomId.test(id)
}

/**
 * This node's part of a legacy HTTP session: its requests in flight, pending client requests and streams. The store contains the
 * other data of the session. A session id never authenticates a caller.
 */
export class Session extends Peer {
  readonly id: string
  lastUsed = 0
  /** Time of the last report to the store that the session is in use. */
  lastTouched = -Infinity
  readonly migration: StreamMigration
  onMissed: () => void = () => undefined
  #isOutdated = false
  #record: SessionRecord

  constructor(
    record: SessionRecord,
    readonly streams: SessionStreams,
    private readonly sessions: Sessions,
  ) {
    super(streams, sessions.subscriptionQuota, callerOf(record), 'http')
    this.id = record.sessionId
    this.#record = record
    this.state = decodeState(record)
    this.migration = new StreamMigration(this, sessions.migration, () => this.onMissed())
    streams.deliveredUpTo(record.delivered)
  }

  get record(): SessionRecord {
    return this.#record
  }

  set record(record: SessionRecord) {
    this.#isOutdated = false
    if (record === this.#record) return
    const isRewound = record.delivered < this.#record.delivered
    this.#record = record
    this.state = decodeState(record)
    // The position only decreases if a store has lost events.
    if (isRewound) this.streams.rewindTo(record.delivered)
    else this.streams.deliveredUpTo(record.delivered)
  }

  override async remember(change: (state: PeerState) => PeerState): Promise<void> {
    await this.update((record) => changeRecord(record, change))
    // Another node notifies the client. This message makes that node read the record before the next notification.
    if (!this.isNotifier()) await this.forward({ jsonrpc: '2.0', method: remembered, params: {} })
  }

  override get sessionId(): string {
    return this.id
  }

  /** If no node has the GET stream open, and no `publisher` is passed, every node returns `true`. */
  override isNotifier(publisher = this.sessions.migration.node): boolean {
    const { node } = this.sessions.migration
    return (this.#record.listensAt ?? publisher) === node
  }

  override get mayBeOutdated(): boolean {
    return this.#isOutdated
  }

  override refresh(): Promise<void> {
    return this.sessions.refresh(this)
  }

  update(change: (record: SessionRecord) => SessionRecord): Promise<void> {
    return this.sessions.update(this, change)
  }

  forward(message: object): Promise<void> {
    return this.#forward(JSON.stringify(message))
  }

  #forward(text: string): Promise<void> {
    return this.sessions.forwarder.send(this.#record, text)
  }

  override async cancel(id: unknown): Promise<void> {
    if (this.isInFlight(id)) return super.cancel(id)
    if (!isRequestId(id)) return
    await this.#forward(`{"jsonrpc":"2.0","method":"${cancelled}","params":{"requestId":${encodeId(id)}}}`)
  }

  override async answer(response: RpcResponse): Promise<void> {
    if (this.clientRequests.receive(response)) return
    const { id, result, error } = response
    if (isRandomId(id)) await this.forward({ jsonrpc: '2.0', id, result, error })
  }

  /** Handles a message that another node forwarded. Never forwards the message again. */
  received(text: string): void {
    const message = this.sessions.forwarder.read(text)
    if (message?.kind === 'response') void super.answer(message)
    // Other messages are ignored, because a node of another version can forward messages of other kinds.
    else if (message?.kind !== 'notification') return
    else if (message.method === remembered) this.#isOutdated = true
    else if (message.method === cancelled) void super.cancel(message.params['requestId'])
    else this.migration.received(message.method, message.params)
  }

  /** Restarts the idle time, which begins at the end of the last request. */
  override end(id: ExactId): void {
    super.end(id)
    this.sessions.onUse(this)
  }

  detached(): void {
    this.sessions.onUse(this)
    this.migration.detached()
  }

  get isInUse(): boolean {
    return this.inFlight > 0 || this.streams.isFollowed
  }

  override gone(reason: string, answer: ProtocolError | null = null): void {
    super.gone(reason, answer)
    this.streams.close()
  }
}
