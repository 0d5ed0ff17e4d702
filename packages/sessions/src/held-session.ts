import type { SessionServer } from '@toolwright/core/extension'
import { Session } from '@toolwright/core/host'
import type { Forwarder } from './cluster/forwarder.js'
import { StreamMigration, type StreamMigrationInit } from './cluster/stream-migration.js'
import type { SessionStoreClient } from './connect-session-store.js'
import { openChannel, resumeStream } from './get-streams.js'
import { callerOf } from './session-record.js'
import type { SessionNode, SessionRecord } from './session-store.js'
import type { RequestStream, SessionStreams } from './session-streams.js'
import type { StreamReader } from './stream-reader.js'

export interface SessionHome {
  readonly server: SessionServer
  readonly store: SessionStoreClient
  readonly node: SessionNode
  readonly forwarder: Forwarder
  readonly migration: StreamMigrationInit
  onUse(session: HeldSession): void
}

export class HeldSession extends Session<SessionRecord> {
  lastUsed = 0
  /** Called if the client could have missed changes, because the node with its GET stream is gone. */
  onMissed: () => void = () => undefined
  /** Time of the last report to the store that the session is in use. */
  lastTouched = -Infinity
  readonly migration: StreamMigration

  constructor(
    record: SessionRecord,
    readonly streams: SessionStreams,
    private readonly home: SessionHome,
  ) {
    super(streams, home.server, callerOf(record), record)
    this.migration = new StreamMigration(this, home.migration)
    streams.deliveredUpTo(record.delivered)
  }

  override get sessionId(): string {
    return this.record.sessionId
  }

  override load(record: SessionRecord): void {
    const before = this.record
    super.load(record)
    // The position only decreases if a store has lost events.
    if (record.delivered < before.delivered) this.streams.rewindTo(record.delivered)
    else this.streams.deliveredUpTo(record.delivered)
  }

  get hasPriming(): boolean {
    return this.streams.hasPriming
  }

  openStream(): RequestStream {
    return this.streams.open()
  }

  openChannel(): Promise<StreamReader> {
    return openChannel(this)
  }

  resume(lastEventId: string): Promise<StreamReader | undefined | null> {
    return resumeStream(this, lastEventId)
  }

  /** If no node has the GET stream open, and no `publisher` is passed, every node returns `true`. */
  override isNotifier(publisher = this.home.migration.node): boolean {
    return (this.record.listensAt ?? publisher) === this.home.migration.node
  }

  override async refresh(): Promise<void> {
    await this.home.store.get(this.sessionId, this.record, (record) => this.#take(record))
  }

  protected override async tryUpdate(change: (record: SessionRecord) => SessionRecord): Promise<boolean> {
    return this.home.store.update(this.sessionId, change, (record) => this.#take(record))
  }

  /** @param record `undefined`: the session has ended. @returns Whether the session exists. */
  #take(record: SessionRecord | undefined): boolean {
    if (record === undefined) this.home.node.ended(this.sessionId)
    else this.load(record)
    return record !== undefined
  }

  override forward(message: string): Promise<void> {
    return this.home.forwarder.send(this.record, message)
  }

  protected override receivedNotification(method: string, params: Readonly<Record<string, unknown>>): void {
    this.migration.received(method, params)
  }

  protected override used(): void {
    this.home.onUse(this)
  }

  detached(): void {
    this.used()
    this.migration.detached()
  }

  get isInUse(): boolean {
    return this.inFlight > 0 || this.streams.isFollowed
  }

  protected override closeStreams(): void {
    this.streams.close()
  }
}
