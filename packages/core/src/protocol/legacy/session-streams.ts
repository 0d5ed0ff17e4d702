import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Channel } from '../peer.js'
import { channelId, parseEventId } from './event-id.js'
import type { EventStore } from './event-store.js'
import type { LateAnswers } from './late-answers.js'
import { StreamReader } from './stream-reader.js'

interface SessionStreamsInit {
  readonly sessionId: string
  /** Whom events count for where all share. */
  readonly caller: string
  readonly store: EventStore
  readonly lateAnswers: LateAnswers
  /** Characters of one stream that may wait for the store. */
  readonly maxWaiting: number
  /** Whether the client knows events without data, which tell it where it is. */
  readonly primes: () => boolean
  /**
   * Called before a stream is opened that another node may have; resolves when that one has ended.
   *
   * @param isPlaceKnown The client says where it goes on: how far the other came need not be heard of.
   */
  readonly take: (streamId: string, isPlaceKnown: boolean) => Promise<void>
  /** Called when a connection has ended, with how far the GET stream has been handed out. */
  readonly onDetach: (delivered: number) => void
}

interface Opening {
  readonly streamId: string
  /** Another node has opened the stream meanwhile. */
  isTaken: boolean
}

/** What one session sends as events: the streams of its requests, and the one for messages that belong to none. */
export class SessionStreams implements Channel {
  readonly #init: SessionStreamsInit
  /** By stream: each has one connection at most, so that no message goes out twice. */
  readonly #readers = new Map<string, StreamReader>()
  readonly #channel: StreamWriter
  /** How far the GET stream has been handed out. */
  #delivered = 0
  /** Connections that are being opened to streams that another node may have. */
  readonly #openings = new Set<Opening>()
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
    if (!this.primes) return new RequestStream(writer, this.#follow(streamId, 0, 0))
    void writer.send('')
    // A large message may come before a slow response begins. Without this event the client has all the same.
    return new RequestStream(writer, this.#follow(streamId, 0, 1))
  }

  /**
   * Opens the GET stream, where the last connection to it ended. That one ends if it is still there. Rejects when the
   * store does.
   */
  async openChannel(): Promise<StreamReader> {
    const { sessionId, store } = this.#init
    await store.read({ sessionId, streamId: channelId }, this.#delivered, 1)
    return this.#takeOver(channelId, false, async () => {
      if (this.primes) {
        // Or that would get the event with which this one begins.
        this.#endChannel()
        await this.#channel.send('')
      }
      this.#endChannel()
      return this.#follow(channelId, this.#delivered, Number.POSITIVE_INFINITY)
    })
  }

  /** Ends the connection before: only then is it known how far that has come. */
  #endChannel(): void {
    this.#readers.get(channelId)?.close()
  }

  /**
   * Goes on after an event that the client has. `undefined` when what follows it cannot be told: there was no such event
   * in this session, or some after it are no longer kept. `null` when nothing follows it, ever. Rejects when the store
   * does.
   */
  async resume(lastEventId: string): Promise<StreamReader | undefined | null> {
    const place = parseEventId(lastEventId)
    if (place === undefined) return undefined
    const { streamId, sequence } = place
    const { sessionId, caller, store } = this.#init
    const key = { sessionId, streamId }
    const page = await store.read(key, sequence, 1)
    // The session may have ended meanwhile.
    if (page === undefined || !page.isWhole || this.#isClosed) return undefined
    if (page.isEnd && page.events.every(({ message }) => message === null)) return null
    return this.#takeOver(streamId, true, async () => {
      // Some clients forget where they were when this connection breaks as well before an event.
      if (this.primes && page.events.length === 0) await store.append(key, '', false, caller)
      return this.#follow(streamId, sequence, 0)
    })
  }

  /** Another node has this stream from now on. */
  taken(streamId: string): void {
    this.#takeFromOpenings(streamId)
    this.cut(streamId)
  }

  #takeFromOpenings(streamId: string): void {
    for (const opening of this.#openings) if (opening.streamId === streamId) opening.isTaken = true
  }

  /** Whether the client has, or is about to have, the GET stream here. */
  get hasChannel(): boolean {
    return this.#readers.has(channelId) || [...this.#openings].some(({ streamId }) => streamId === channelId)
  }

  /** How far the GET stream has been handed out, as far as is known here. */
  get delivered(): number {
    return this.#delivered
  }

  /** Whether some client is connected to some stream. */
  get isFollowed(): boolean {
    return this.#readers.size > 0
  }

  get primes(): boolean {
    return this.#init.primes()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** How far another node has handed out the GET stream. */
  deliveredUpTo(sequence: number): void {
    this.#delivered = Math.max(this.#delivered, sequence)
  }

  /** Ends every connection. What was kept stays: it is the store's to forget. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const reader of this.#readers.values()) reader.close()
  }

  /** Cuts a stream that cannot go on: its client would wait for what never comes. */
  cut(streamId: string): void {
    this.#readers.get(streamId)?.close()
  }

  /** Of two nodes at which a stream is opened at the same time, one goes on with it, or none: the client comes back. */
  async #takeOver(streamId: string, isPlaceKnown: boolean, open: () => Promise<StreamReader>): Promise<StreamReader> {
    // Of two at this node, the later one goes on.
    this.#takeFromOpenings(streamId)
    const opening: Opening = { streamId, isTaken: false }
    this.#openings.add(opening)
    try {
      await this.#init.take(streamId, isPlaceKnown)
      if (opening.isTaken) return this.#closedReader(streamId)
      const reader = await open()
      if (opening.isTaken) reader.close()
      return reader
    } finally {
      this.#openings.delete(opening)
    }
  }

  /** For who comes too late: whoever has the stream meanwhile keeps it. */
  #closedReader(streamId: string): StreamReader {
    const { sessionId, store } = this.#init
    const reader = new StreamReader(store, { sessionId, streamId }, 0, 0, () => undefined)
    reader.close()
    return reader
  }

  #follow(streamId: string, after: number, mayLose: number): StreamReader {
    const { sessionId, store } = this.#init
    // A connection that broke may not be known to be broken when the client is back.
    this.#readers.get(streamId)?.close()
    const reader = new StreamReader(store, { sessionId, streamId }, after, mayLose, (closed) => {
      this.#detach(streamId, closed)
    })
    this.#readers.set(streamId, reader)
    if (this.#isClosed) reader.close()
    return reader
  }

  #detach(streamId: string, reader: StreamReader): void {
    if (streamId === channelId) this.#delivered = Math.max(this.#delivered, reader.position)
    if (this.#readers.get(streamId) === reader) this.#readers.delete(streamId)
    this.#init.onDetach(this.#delivered)
  }
}

/** Characters after which readers get their turn. */
const burstLength = 16_384

/** What an event takes besides its message. */
const eventLength = 100

/** The sending end of a stream. */
class StreamWriter {
  /** One after the other: the order of the store is the order on the wire. */
  #written: Promise<void> = Promise.resolve()
  #waiting = 0
  #sinceTurn = 0
  /** Whether anything of it was kept. */
  #hasBegun = false

  constructor(
    private readonly streams: SessionStreams,
    private readonly init: SessionStreamsInit,
    private readonly streamId: string,
  ) {}

  /** Resolves, never rejects, when everything up to this message is kept. */
  send(message: string | null, isLast = false): Promise<void> {
    const length = message?.length ?? 0
    // A store that cannot keep up must not fill the memory. The answer is one message, and the one that is waited for.
    if (this.#waiting > this.init.maxWaiting && !isLast) return this.#written
    this.#waiting += eventLength + length
    this.#written = this.#writeAfter(this.#written, message, isLast)
    return this.#written
  }

  /** Resolves when everything that was sent is kept. */
  get written(): Promise<void> {
    return this.#written
  }

  async #writeAfter(before: Promise<void>, message: string | null, isLast: boolean): Promise<void> {
    await before
    const length = eventLength + (message?.length ?? 0)
    await this.#takeTurns(length)
    await this.#append(message, isLast)
    this.#waiting -= length
  }

  /**
   * What is sent in one burst would else drive out of the store what no reader could have seen. One large message after a
   * small one, such as an answer after the event that begins its stream, is such a burst.
   */
  async #takeTurns(length: number): Promise<void> {
    const isFirst = this.#sinceTurn === 0
    this.#sinceTurn += length
    if (isFirst || this.#sinceTurn < burstLength) return
    this.#sinceTurn = length
    await nextTurn()
  }

  async #append(message: string | null, isLast: boolean): Promise<void> {
    try {
      await this.#keep(message, isLast)
      this.#hasBegun = true
    } catch {
      // The store has told the log.
      this.streams.cut(this.streamId)
      // Without an event before it there is no place that a client could come back from.
      if (isLast && this.#hasBegun) await this.#keepLate(message)
    }
  }

  /** Apart, so that an event that is kept at once makes nothing for this. */
  #keepLate(answer: string | null): Promise<void> {
    return this.init.lateAnswers.keep(answer, () => this.#keep(answer, true))
  }

  #keep(message: string | null, isLast: boolean): Promise<void> {
    const { store, sessionId, caller } = this.init
    // What ends after its session would bring back what was forgotten.
    if (this.streams.isClosed) return Promise.resolve()
    return store.append({ sessionId, streamId: this.streamId }, message, isLast, caller)
  }
}

/** The stream of one request of a session. */
export class RequestStream {
  constructor(
    private readonly writer: StreamWriter,
    /** For the connection that the request came on. */
    readonly reader: StreamReader,
  ) {}

  send(json: string): void {
    void this.writer.send(json)
  }

  /** Sends the answer, when there is one. Nothing may follow. */
  end(json: string | null): void {
    void this.writer.send(json, true)
  }

  /** Ends the connection after what was sent so far. The stream goes on: the client comes back for the rest. */
  disconnect(): void {
    void this.writer.written.then(() => this.reader.finish())
  }
}
