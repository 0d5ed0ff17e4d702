import { channelId, encodeEventId } from './event-id.js'
import type { EventStore, StreamKey, StreamPage } from './event-store.js'

/** An event as it goes out. */
export interface StreamEvent {
  /** `''` for the last event of a session that ended: its client has nothing to come back to. */
  readonly id: string
  /** JSON text; `''` for an event that only tells the client where it is. */
  readonly message: string
}

/** Events that are read at once. A reader that is slow holds no more of them than these. */
const pageSize = 100

const nothingYet: StreamPage = { events: [], isWhole: true, isEnd: false }

/**
 * One connection's way through a stream: what is kept after its place, and then what comes. All of it is read from the
 * store, the live part as well, so there is no seam between the two where an event could be lost or doubled.
 */
export class StreamReader {
  #position: number
  #isClosed = false
  #isFinishing = false
  #wake: (() => void) | null = null
  #hasNews = true
  #hasStarted = false
  #failure: Error | null = null
  /** The session has ended, and the store with it: only an answer can still come. */
  #isSevered = false
  #lastEvent: StreamEvent | null = null
  readonly #unwatch: () => void

  /**
   * @param after Place of the last event that the client has.
   * @param mayLose How many events after that place may be gone where it begins: it goes on with what is kept. Beyond that,
   *   and later on, it ends.
   * @param onClose Called once.
   */
  constructor(
    private readonly store: EventStore,
    private readonly key: StreamKey,
    after: number,
    private mayLose: number,
    private readonly onClose: (reader: StreamReader) => void,
  ) {
    this.#position = after
    this.#unwatch = store.watch(key, () => this.#notice())
  }

  /** Whether this is the GET stream, which has no end of its own. */
  get isChannel(): boolean {
    return this.key.streamId === channelId
  }

  /** Place of the last event that was handed out. */
  get position(): number {
    return this.#position
  }

  /** The next events; none when none came within `waitMs`; `null` when none will come. Rejects when the store does. */
  async next(waitMs: number): Promise<readonly StreamEvent[] | null> {
    if (!this.#hasNews && !this.#isClosed) await this.#wait(waitMs)
    if (this.#isClosed) return this.#ended()
    if (!this.#hasNews) return []
    // Before the read: what is appended while it runs is news again.
    this.#hasNews = false
    const page = await this.#read()
    if (this.#isClosed) return this.#ended()
    if (this.#isSevered) return []
    this.#hasStarted = true
    if (page === undefined || !this.#isEnough(page)) return this.#end()
    if (page.events.length > 0) this.mayLose = 0
    return this.#handOut(page)
  }

  /** Ends once everything that is in the store has been handed out. */
  finish(): void {
    this.#isFinishing = true
    this.#notice()
  }

  /** Ends at once. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unwatch()
    this.#wake?.()
    this.onClose(this)
  }

  /** Reads no more from the store, and waits for `endWith`: its session has ended while its request ran. */
  stopReading(): void {
    this.#isSevered = true
    this.#hasNews = false
    this.#unwatch()
  }

  /** Ends with an event that is not kept. */
  endWith(message: string | null): void {
    if (message !== null && !this.#isClosed) this.#lastEvent = { id: '', message }
    this.close()
  }

  /** Ends at once, because the store has not kept what was to come. A client that has nothing yet can still be told why. */
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

  /** A stream from its beginning on may not have begun yet. */
  async #read(): Promise<StreamPage | undefined> {
    const page = await this.store.read(this.key, this.#position, pageSize)
    return page === undefined && this.#position === 0 ? nothingYet : page
  }

  #isEnough({ events, isWhole }: StreamPage): boolean {
    const [first] = events
    // Without any, the next one will tell how many are gone.
    const lost = first === undefined ? 1 : first.sequence - 1 - this.#position
    return isWhole || lost <= this.mayLose
  }

  #handOut({ events, isEnd }: StreamPage): readonly StreamEvent[] | null {
    const { streamId } = this.key
    this.#position = events.at(-1)?.sequence ?? this.#position
    const isAll = events.length < pageSize
    if (isEnd || (isAll && this.#isFinishing)) this.close()
    else if (!isAll) this.#hasNews = true
    if (events.length === 0 && this.#isClosed) return null
    return events.flatMap(({ sequence, message }) =>
      message === null ? [] : [{ id: encodeEventId(streamId, sequence), message }],
    )
  }

  #end(): null {
    this.close()
    return null
  }

  #notice(): void {
    if (this.#isSevered) return
    this.#hasNews = true
    this.#wake?.()
  }

  #wait(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs).unref()
      this.#wake = () => {
        this.#wake = null
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
