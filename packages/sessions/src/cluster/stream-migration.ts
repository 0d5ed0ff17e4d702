import { withTimeout } from '@toolwright/core/host'
import { channelId } from '../event-id.js'
import type { HeldSession } from '../held-session.js'
import { inBackground } from '../in-background.js'
import type { SessionRecord } from '../session-store.js'
import type { StreamReader } from '../stream-reader.js'

/** Messages between nodes about the streams of a session. Clients never get these messages. */
const [taken, left] = ['toolwright/stream_taken', 'toolwright/stream_left']

export interface StreamMigrationInit {
  readonly node: string
  readonly canForward: boolean
  /** Timeout for the response of another node, in milliseconds. Needed because the other node could be gone. */
  readonly waitMs: number
}

/** Moves a stream to the node that its client reconnected to, so that no message is sent twice. */
export class StreamMigration {
  readonly #openings = new StreamOpenings()
  readonly #onLeft = new Set<() => void>()
  /** The node that had the GET stream before this node. `null` if there is no such node, or after that node was notified. */
  #before: string | null = null

  constructor(
    private readonly session: HeldSession,
    private readonly init: StreamMigrationInit,
  ) {}

  /**
   * Opens a stream on this node, after closing the stream on other nodes. If two nodes open the stream at the same time, at most
   * one connection stays open. A client whose connection was closed reconnects. Rejects if the other nodes cannot be notified.
   *
   * @param isPlaceKnown Whether the client sent its position in the stream. If so, the position that the other node reports is
   * not needed.
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

  /**
   * Stores the last delivered position of the GET stream, so that any node can continue the stream. Called when a connection has
   * ended.
   */
  detached(): void {
    const { streams, record } = this.session
    const { delivered } = streams
    if (delivered <= record.delivered && !this.#hasLeft(record)) return
    inBackground(
      this.session.update((now) => ({
        ...now,
        delivered: Math.max(now.delivered, delivered),
        ...(this.#hasLeft(now) ? { listensAt: null } : {}),
      })),
    )
  }

  /** Whether the client's GET stream was on this node, is closed, and is not being opened. */
  #hasLeft({ listensAt }: SessionRecord): boolean {
    return (
      listensAt === this.init.node && !this.session.streams.isFollowing(channelId) && !this.#openings.has(channelId)
    )
  }

  async #take(streamId: string, isPlaceKnown: boolean): Promise<void> {
    if (!this.init.canForward || this.session.streams.isClosed) return
    if (streamId !== channelId) return this.#forwardTaken(streamId)
    await this.session.update((record) => this.#listenHere(record))
    const from = this.#before
    if (from === null) return
    const taking = this.#takeFrom(from)
    if (isPlaceKnown) inBackground(taking)
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

  async #takeFrom(from: string): Promise<void> {
    let onLeft = (): void => undefined
    const hasLeft = new Promise<void>((resolve) => {
      onLeft = resolve
    })
    this.#onLeft.add(onLeft)
    try {
      await this.#forwardTaken(channelId, from)
      // A node that does not reply is regarded as gone. The client could have missed changes.
      await withTimeout(hasLeft, this.init.waitMs).catch(() => this.session.onMissed())
    } finally {
      this.#onLeft.delete(onLeft)
    }
  }

  async #forwardTaken(streamId: string, from?: string): Promise<void> {
    await this.#forward(taken, { streamId, by: this.init.node, from })
  }

  /** Reports the position to the node that took the stream. Ignores errors: the other node only waits until its timeout. */
  #leave(): void {
    const params = { by: this.init.node, delivered: this.session.streams.delivered }
    inBackground(this.#forward(left, params))
  }

  #forward(method: string, params: object): Promise<void> {
    return this.session.forward(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }
}

interface Opening {
  readonly streamId: string
  isTaken: boolean
}

/** Streams that this node is opening. The same stream can still be open on another node. */
class StreamOpenings {
  readonly #openings = new Set<Opening>()

  has(streamId: string): boolean {
    return [...this.#openings].some((opening) => opening.streamId === streamId)
  }

  taken(streamId: string): void {
    for (const opening of this.#openings) if (opening.streamId === streamId) opening.isTaken = true
  }

  async run<Result>(streamId: string, open: (opening: Readonly<Opening>) => Promise<Result>): Promise<Result> {
    this.taken(streamId)
    const opening: Opening = { streamId, isTaken: false }
    this.#openings.add(opening)
    try {
      return await open(opening)
    } finally {
      this.#openings.delete(opening)
    }
  }
}
