import { channelId, encodeEventId } from './event-id.js'
import type { EventStore, StreamKey, StreamPage } from './event-store.js'
import { Signal } from './signal.js'

export interface StreamEvent {
  readonly id: string
  readonly message: string
}

/** Maximum number of events that are read together. These events stay in memory until a slow client has received them. */
const pageSize = 100

const emptyPage: StreamPage = { events: [], isWhole: true, isEnd: false }

/**
 * Reads a stream for one connection: first the stored events after the client's position, then new events. Even new events are
 * read from the store, so that no event can be lost or duplicated.
 */
export class StreamReader {
  #position: number
  #isClosed = false
  #isFinishing = false
  readonly #news = new Signal(true)
  #hasStarted = false
  #failure: Error | null = null
  /** Whether the session has ended. If so, the reader reads no more events, and can only return the response of the request. */
  #isSevered = false
  #lastEvent: StreamEvent | null = null
  readonly #unwatch: () => void

  /**
   * @param after Position of the client's last event.
   * @param mayLose Number of events that are allowed to be missing directly after that position. The reader ends if more events
   * are missing, or if later events are missing.
   */
  constructor(
    private readonly store: EventStore,
    private readonly key: StreamKey,
    after: number,
    private mayLose: number,
    private readonly onClose: (reader: StreamReader) => void,
  ) {
    this.#position = after
    this.#unwatch = store.watch(key, () => this.#news.set())
  }

  get isChannel(): boolean {
    return this.key.streamId === channelId
  }

  get position(): number {
    return this.#position
  }

  async next(waitMs: number): Promise<readonly StreamEvent[] | null> {
    if (!this.#news.isSet && !this.#isClosed) await this.#news.wait(waitMs)
    if (this.#isClosed) return this.#ended()
    if (!this.#news.isSet) return []
    // The flag is cleared before the read, so that events appended during the read are noticed.
    this.#news.clear()
    const page = await this.#read()
    if (this.#isClosed) return this.#ended()
    if (this.#isSevered) return []
    this.#hasStarted = true
    if (page === undefined || !this.#isEnough(page)) {
      this.close()
      return null
    }
    if (page.events.length > 0) this.mayLose = 0
    return this.#handOut(page)
  }

  finish(): void {
    this.#isFinishing = true
    this.#news.set()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unwatch()
    this.#news.wake()
    this.onClose(this)
  }

  /** Stops reading from the store and waits for `endWith`. Called when the session ends while a request is running. */
  stopReading(): void {
    this.#isSevered = true
    this.#news.close()
    this.#unwatch()
  }

  endWith(message: string | null): void {
    if (message !== null && !this.#isClosed) this.#lastEvent = { id: '', message }
    this.close()
  }

  /**
   * Ends immediately, because the store failed to store an event. If the client has received nothing yet, `next` rejects with the
   * error.
   */
  fail(error: Error): void {
    if (!this.#hasStarted) this.#failure = error
    this.close()
  }

  #ended(): readonly StreamEvent[] | null {
    if (this.#failure !== null) throw this.#failure
    const last = this.#lastEvent
    this.#lastEvent = null
    return last === null ? null : [last]
  }

  async #read(): Promise<StreamPage | undefined> {
    const page = await this.store.read(this.key, this.#position, pageSize)
    return page === undefined && this.#position === 0 ? emptyPage : page
  }

  #isEnough({ events, isWhole }: StreamPage): boolean {
    const [first] = events
    // An empty page does not show how many events were lost. At least one event was lost if the page is not whole.
    const lost = first === undefined ? 1 : first.sequence - 1 - this.#position
    return isWhole || lost <= this.mayLose
  }

  #handOut({ events, isEnd }: StreamPage): readonly StreamEvent[] | null {
    const { streamId } = this.key
    this.#position = events.at(-1)?.sequence ?? this.#position
    const isAll = events.length < pageSize
    if (isEnd || (isAll && this.#isFinishing)) this.close()
    else if (!isAll) this.#news.set()
    if (events.length === 0 && this.#isClosed) return null
    return events.flatMap(({ sequence, message }) =>
      message === null ? [] : [{ id: encodeEventId(streamId, sequence), message }],
    )
  }
}
