import { randomBytes } from 'node:crypto'
import type { Channel } from '../../peer.js'
import { channelId } from './event-id.js'
import type { StreamPage } from './event-store.js'
import { RequestStream } from './request-stream.js'
import { StreamReader } from './stream-reader.js'
import { StreamWriter, type StreamWriterInit } from './stream-writer.js'

interface SessionStreamsInit extends StreamWriterInit {
  /** Whether the client knows events without data, which tell it where it is. */
  readonly primes: boolean
  /** Called when a connection has ended. */
  readonly onDetach: () => void
  /** Called when the store turns out to have lost what was delivered. */
  readonly onLost: () => void
}

/** What one session sends as events: the streams of its requests, and the one for messages that belong to none. */
export class SessionStreams implements Channel {
  readonly #init: SessionStreamsInit
  /** By stream: each has one connection at most, so that no message goes out twice. */
  readonly #readers = new Map<string, StreamReader>()
  readonly #channel: StreamWriter
  /** Streams of requests that are not answered yet. */
  readonly #unanswered = new Set<string>()
  #delivered = 0
  #isClosed = false

  constructor(init: SessionStreamsInit) {
    this.#init = init
    this.#channel = new StreamWriter(this, init, channelId)
  }

  /** Sends on the GET stream; without one the message is kept for the next. */
  send(json: string): void {
    void this.#channel.send(json)
  }

  /** Begins the stream of one request. */
  open(): RequestStream {
    const streamId = randomBytes(6).toString('hex')
    const writer = new StreamWriter(this, this.#init, streamId)
    const end = (json: string | null): void => {
      this.#unanswered.delete(streamId)
      if (this.#isClosed) this.#readers.get(streamId)?.endWith(json)
      else void writer.send(json, true)
    }
    this.#unanswered.add(streamId)
    if (!this.primes) return new RequestStream(writer, this.follow(streamId, 0), end)
    void writer.send('')
    // A large message may come before a slow response begins. Without this event the client has all the same.
    return new RequestStream(writer, this.follow(streamId, 0, 1), end)
  }

  /** A new connection to the GET stream, where the last one ended. That one ends if it is still there. */
  async followChannel(): Promise<StreamReader> {
    if (this.primes) {
      // Or that would get the event with which this one begins.
      this.cut(channelId)
      await this.prime(channelId)
    }
    // Only then is it known how far that has come.
    this.cut(channelId)
    return this.follow(channelId, this.#delivered, Number.POSITIVE_INFINITY)
  }

  /** Sends an event that tells the client where it is, if it knows such events. Rejects when the store does. */
  async prime(streamId: string): Promise<void> {
    const { sessionId, caller, store } = this.#init
    if (this.primes) await store.append({ sessionId, streamId }, '', false, caller)
  }

  /** What comes after a place, as far as one event tells. Rejects when the store does. */
  read(streamId: string, after: number): Promise<StreamPage | undefined> {
    const { sessionId, store } = this.#init
    return store.read({ sessionId, streamId }, after, 1)
  }

  /**
   * The last place of a stream in the store, which is before a place that it does not know. It has lost what followed: it
   * was restored from an older snapshot, or a replica that was behind has taken over.
   */
  async findLast(streamId: string, unknown: number): Promise<number> {
    this.#init.onLost()
    let [last, beyond] = [0, unknown]
    while (beyond - last > 1) {
      const middle = Math.floor((last + beyond) / 2)
      // oxlint-disable-next-line no-await-in-loop
      if ((await this.read(streamId, middle)) === undefined) beyond = middle
      else last = middle
    }
    return last
  }

  /**
   * A new connection to a stream, after a place. The one before ends.
   *
   * @param mayLose How many events after that place may be gone. Default: none.
   */
  follow(streamId: string, after: number, mayLose = 0): StreamReader {
    const { sessionId, store } = this.#init
    // A connection that broke may not be known to be broken when the client is back.
    this.cut(streamId)
    const reader = new StreamReader(store, { sessionId, streamId }, after, mayLose, (closed) => {
      this.#detach(streamId, closed)
    })
    this.#readers.set(streamId, reader)
    if (this.#isClosed) reader.close()
    return reader
  }

  /** A connection that has ended, for who comes too late: whoever has the stream meanwhile keeps it. */
  followNothing(streamId: string): StreamReader {
    const { sessionId, store } = this.#init
    const reader = new StreamReader(store, { sessionId, streamId }, 0, 0, () => undefined)
    reader.close()
    return reader
  }

  /** Ends the connection to a stream, when there is one. */
  cut(streamId: string): void {
    this.#readers.get(streamId)?.close()
  }

  /** Ends the connection to a stream that cannot go on: its client would wait for what never comes. */
  fail(streamId: string, error: Error): void {
    this.#readers.get(streamId)?.fail(error)
  }

  /**
   * Ends every connection, those of requests in flight with their answers, which are errors. What was kept stays: it is the
   * store's to forget.
   */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const [streamId, reader] of this.#readers) {
      if (this.#unanswered.has(streamId)) reader.stopReading()
      else reader.close()
    }
  }

  /** Whether a client is connected to this stream. */
  isFollowing(streamId: string): boolean {
    return this.#readers.has(streamId)
  }

  /** Whether some client is connected to some stream. */
  get isFollowed(): boolean {
    return this.#readers.size > 0
  }

  /** Whether connections begin with an event without data. */
  get primes(): boolean {
    return this.#init.primes && !this.#isClosed
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** How far the GET stream has been handed out, as far as is known here. */
  get delivered(): number {
    return this.#delivered
  }

  /** How far another node has handed out the GET stream. */
  deliveredUpTo(sequence: number): void {
    this.#delivered = Math.max(this.#delivered, sequence)
  }

  /** Events delivered after this place are lost. */
  rewindTo(sequence: number): void {
    this.#delivered = Math.min(this.#delivered, sequence)
  }

  #detach(streamId: string, reader: StreamReader): void {
    if (streamId === channelId) this.deliveredUpTo(reader.position)
    if (this.#readers.get(streamId) === reader) this.#readers.delete(streamId)
    this.#init.onDetach()
  }
}
