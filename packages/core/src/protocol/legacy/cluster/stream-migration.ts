import { TimeoutError, withTimeout } from '../../../timing/with-timeout.js'
import { inBackground } from '../in-background.js'
import { channelId } from '../sessions/event-id.js'
import type { SessionRecord } from '../sessions/session-store.js'
import type { SessionStreams } from '../sessions/session-streams.js'
import { StreamOpenings } from '../sessions/stream-openings.js'
import type { StreamReader } from '../sessions/stream-reader.js'

/** What nodes tell each other of the streams of a session. No client has anything to do with it. */
const [taken, left] = ['toolwright/stream_taken', 'toolwright/stream_left']

/** A session whose streams other nodes may have, too. */
interface SharedSession {
  readonly streams: SessionStreams
  readonly record: SessionRecord
  update(change: (record: SessionRecord) => SessionRecord): void | Promise<void>
  /** Tells all other nodes. */
  tell(message: object): void | Promise<void>
}

export interface StreamMigrationInit {
  /** Names this node among those that share the session. */
  readonly node: string
  /** Where nodes cannot tell each other, each has its own connection to a stream. */
  readonly canTell: boolean
  /** Milliseconds that a node has to tell how far it came: it may be gone. */
  readonly waitMs: number
}

/** Who goes on with a stream at another node has it there alone: or each message would go out twice. */
export class StreamMigration {
  readonly #openings = new StreamOpenings()
  readonly #onLeft = new Set<() => void>()
  /** The node that had the GET stream and has yet to hear that this one has it: to tell it may have failed. */
  #before: string | null = null

  constructor(
    private readonly session: SharedSession,
    private readonly init: StreamMigrationInit,
    /** The node that had the GET stream is gone: the client missed changes meanwhile. */
    private readonly onMissed: () => void,
  ) {}

  /**
   * Opens a stream once it has ended at the other nodes. Of two nodes at which it is opened at the same time, one goes on
   * with it, or none: the client comes back. Rejects when the others cannot be told.
   *
   * @param isPlaceKnown The client says where it goes on: how far the other came need not be heard of.
   */
  claim(streamId: string, isPlaceKnown: boolean, open: () => Promise<StreamReader>): Promise<StreamReader> {
    return this.#openings.run(streamId, async (opening) => {
      await this.#take(streamId, isPlaceKnown)
      if (opening.isTaken) return this.session.streams.followNothing(streamId)
      const reader = await open()
      if (opening.isTaken) reader.close()
      return reader
    })
  }

  /** What another node told; what it is not about is left alone. */
  received(method: string, { streamId, by, from, delivered }: Readonly<Record<string, unknown>>): void {
    const { node } = this.init
    if (by === node) return
    if (method === taken && typeof streamId === 'string') {
      this.#openings.taken(streamId)
      this.session.streams.cut(streamId)
      if (from === node) this.#leave()
    } else if (method === left && Number.isSafeInteger(delivered)) {
      this.session.streams.deliveredUpTo(delivered as number)
      for (const onLeft of this.#onLeft) onLeft()
    }
  }

  /** A connection has ended: remembers where the client's next GET stream goes on, on whichever node that is. */
  detached(): void {
    const { streams, record } = this.session
    const { delivered } = streams
    if (delivered <= record.delivered && !this.#hasLeft(record)) return
    void inBackground(() =>
      this.session.update((now) => ({
        ...now,
        delivered: Math.max(now.delivered, delivered),
        ...(this.#hasLeft(now) ? { listensAt: null } : {}),
      })),
    )
  }

  /** Whether the client had the GET stream here, and neither has it nor is about to. */
  #hasLeft({ listensAt }: SessionRecord): boolean {
    return (
      listensAt === this.init.node && !this.session.streams.isFollowing(channelId) && !this.#openings.has(channelId)
    )
  }

  async #take(streamId: string, isPlaceKnown: boolean): Promise<void> {
    if (!this.init.canTell || this.session.streams.isClosed) return
    if (streamId !== channelId) return this.#tellTaken(streamId)
    await this.session.update((record) => this.#listenHere(record))
    const from = this.#before
    if (from === null) return
    const taking = this.#takeFrom(from)
    if (isPlaceKnown) void inBackground(() => taking)
    else await taking
    if (this.#before === from) this.#before = null
  }

  #listenHere(record: SessionRecord): SessionRecord {
    const { node } = this.init
    const listensAt = record.listensAt ?? null
    if (listensAt === node) return record
    if (listensAt !== null) this.#before = listensAt
    return { ...record, listensAt: node }
  }

  /** Has a node end the GET stream, and tell how far it came. */
  async #takeFrom(from: string): Promise<void> {
    let onLeft = (): void => undefined
    const hasLeft = new Promise<void>((resolve) => {
      onLeft = resolve
    })
    this.#onLeft.add(onLeft)
    try {
      await this.#tellTaken(channelId, from)
      await withTimeout(hasLeft, this.init.waitMs).catch((error: unknown) => this.#missed(error))
    } finally {
      this.#onLeft.delete(onLeft)
    }
  }

  /** @param from The node that is to tell how far it came. Default: none. */
  async #tellTaken(streamId: string, from?: string): Promise<void> {
    await this.session.tell({ jsonrpc: '2.0', method: taken, params: { streamId, by: this.init.node, from } })
  }

  /** Whoever is not told waits no longer than it has to. */
  #leave(): void {
    const params = { by: this.init.node, delivered: this.session.streams.delivered }
    void inBackground(() => this.session.tell({ jsonrpc: '2.0', method: left, params }))
  }

  /** A node that does not answer is gone. */
  #missed(error: unknown): void {
    if (!(error instanceof TimeoutError)) throw error
    this.onMissed()
  }
}
