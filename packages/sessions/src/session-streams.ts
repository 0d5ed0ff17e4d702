import { randomBytes } from 'node:crypto'
import { channelId } from './event-id.js'
import type { StreamPage } from './event-store.js'
import { StreamReader } from './stream-reader.js'
import { StreamWriter, type StreamWriterInit } from './stream-writer.js'

interface SessionStreamsInit extends StreamWriterInit {
  /** Whether the client supports events without data, which only carry a position. */
  readonly hasPriming: boolean
  readonly onDetach: () => void
  readonly onLost: () => void
}

export class SessionStreams {
  /** Readers by stream. A stream has at most one connection, so that no message is sent twice. */
  readonly #readers = new Map<string, StreamReader>()
  readonly #channel: StreamWriter
  readonly #unanswered = new Set<string>()
  #delivered = 0
  #isClosed = false

  constructor(private readonly init: SessionStreamsInit) {
    this.#channel = new StreamWriter(this, init, channelId)
  }

  /** Sends on the GET stream. If the stream is not open, the message is stored for the next connection. */
  send(json: string): void {
    void this.#channel.send(json)
  }

  open(): RequestStream {
    const streamId = randomBytes(6).toString('hex')
    const writer = new StreamWriter(this, this.init, streamId)
    const end = (json: string | null): void => {
      this.#unanswered.delete(streamId)
      if (this.#isClosed) this.#readers.get(streamId)?.endWith(json)
      else void writer.send(json, true)
    }
    this.#unanswered.add(streamId)
    if (!this.hasPriming) return new RequestStream(writer, this.follow(streamId, 0), end)
    void writer.send('')
    // A large message can evict the priming event before the client gets it. This loss is harmless: the event has no data.
    return new RequestStream(writer, this.follow(streamId, 0, 1), end)
  }

  async followChannel(): Promise<StreamReader> {
    // Closes the previous connection first, so that this connection does not get the priming event of the new connection.
    this.cut(channelId)
    await this.prime(channelId)
    // Closes a connection that was opened in the meantime, because such a connection can change `#delivered`.
    this.cut(channelId)
    return this.follow(channelId, this.#delivered, Number.POSITIVE_INFINITY)
  }

  async prime(streamId: string): Promise<void> {
    const { sessionId, caller, store } = this.init
    if (this.hasPriming) await store.append({ sessionId, streamId }, '', false, caller)
  }

  read(streamId: string, after: number): Promise<StreamPage | undefined> {
    const { sessionId, store } = this.init
    return store.read({ sessionId, streamId }, after, 1)
  }

  /**
   * Finds the last stored position of the GET stream, by bisection. Called when the store has lost its latest events, for example
   * after a restore from a snapshot or the promotion of a lagging replica.
   */
  async findLast(): Promise<number> {
    this.init.onLost()
    let [last, beyond] = [0, this.#delivered]
    while (beyond - last > 1) {
      const middle = Math.floor((last + beyond) / 2)
      // oxlint-disable-next-line no-await-in-loop
      if ((await this.read(channelId, middle)) === undefined) beyond = middle
      else last = middle
    }
    return last
  }

  /**
   * Opens a connection to a stream after a position, and closes the previous connection.
   *
   * @param mayLose Number of events that are allowed to be missing directly after that position. Default: 0.
   */
  follow(streamId: string, after: number, mayLose = 0): StreamReader {
    const { sessionId, store } = this.init
    // Needed if the server has not yet noticed that the previous connection broke.
    this.cut(streamId)
    const reader = new StreamReader(store, { sessionId, streamId }, after, mayLose, (closed) => {
      this.#detach(streamId, closed)
    })
    this.#readers.set(streamId, reader)
    if (this.#isClosed) reader.close()
    return reader
  }

  followNothing(streamId: string): StreamReader {
    const { sessionId, store } = this.init
    const reader = new StreamReader(store, { sessionId, streamId }, 0, 0, () => undefined)
    reader.close()
    return reader
  }

  cut(streamId: string): void {
    this.#readers.get(streamId)?.close()
  }

  /** Closes the connection to a stream that cannot continue, so that its client does not wait for ever. */
  fail(streamId: string, error: Error): void {
    this.#readers.get(streamId)?.fail(error)
  }

  /**
   * Closes all connections. Connections of requests in flight stay open until the error response is sent. Stored events are kept,
   * because the store decides when to delete them.
   */
  close(): void {
    this.#isClosed = true
    for (const [streamId, reader] of this.#readers) {
      if (this.#unanswered.has(streamId)) reader.stopReading()
      else reader.close()
    }
  }

  isFollowing(streamId: string): boolean {
    return this.#readers.has(streamId)
  }

  get isFollowed(): boolean {
    return this.#readers.size > 0
  }

  get hasPriming(): boolean {
    return this.init.hasPriming && !this.#isClosed
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get delivered(): number {
    return this.#delivered
  }

  deliveredUpTo(sequence: number): void {
    this.#delivered = Math.max(this.#delivered, sequence)
  }

  rewindTo(sequence: number): void {
    this.#delivered = Math.min(this.#delivered, sequence)
  }

  #detach(streamId: string, reader: StreamReader): void {
    if (streamId === channelId) this.deliveredUpTo(reader.position)
    if (this.#readers.get(streamId) === reader) this.#readers.delete(streamId)
    this.init.onDetach()
  }
}

export class RequestStream {
  constructor(
    private readonly writer: StreamWriter,
    readonly reader: StreamReader,
    private readonly endWith: (json: string | null) => void,
  ) {}

  send(json: string): void {
    void this.writer.send(json)
  }

  end(json: string | null): void {
    this.endWith(json)
  }

  disconnect(): void {
    void this.writer.written.then(() => this.reader.finish())
  }
}
