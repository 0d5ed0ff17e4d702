/**
 * Maximum number of queued events. When exceeded, the oldest event is dropped, so that a slow reader does not fill the
 * memory.
 */
const maxQueued = 1000

/** Events that are read with `for await`. Leaving the loop ends the subscription. */
export interface EventStream<Event> extends AsyncIterableIterator<Event>, AsyncDisposable {
  /** Ends the subscription, and with it the loop that reads the events. */
  close(): Promise<void>
}

interface Reader<Event> {
  resolve(result: IteratorResult<Event, undefined>): void
  reject(error: unknown): void
}

export class EventQueue<Event> implements EventStream<Event> {
  readonly #events: Event[] = []
  readonly #readers: Reader<Event>[] = []
  #end: { readonly error: unknown } | null = null

  /** @param onEnd Called once, when the reader leaves the loop or the events end. */
  constructor(private readonly onEnd: () => void | Promise<void> = () => undefined) {}

  has(isSame: (event: Event) => boolean): boolean {
    return this.#events.some(isSame)
  }

  push(event: Event): void {
    if (this.#end !== null) return
    const reader = this.#readers.shift()
    if (reader !== undefined) reader.resolve({ done: false, value: event })
    else if (this.#events.push(event) > maxQueued) this.#events.shift()
  }

  /** Ends the events. @param error Thrown by the loop after the queued events. Without an error, the loop just ends. */
  async end(error: unknown = null): Promise<void> {
    if (this.#end !== null) return
    this.#end = { error }
    for (const reader of this.#readers.splice(0)) this.#finish(reader)
    await this.onEnd()
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject }
      if (this.#events.length > 0) resolve({ done: false, value: this.#events.shift() as Event })
      else if (this.#end !== null) this.#finish(reader)
      else this.#readers.push(reader)
    })
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    this.#events.length = 0
    await this.end()
    return { done: true, value: undefined }
  }

  async close(): Promise<void> {
    await this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Ends a pending read. Only the first read rejects with the error; later reads return `done: true`. */
  #finish(reader: Reader<Event>): void {
    const { error } = this.#end ?? { error: null }
    this.#end = { error: null }
    if (error === null) reader.resolve({ done: true, value: undefined })
    else reader.reject(error)
  }
}
