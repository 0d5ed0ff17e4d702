import type { ClientRequest, IncomingMessage } from 'node:http'

export interface SentEvent {
  readonly id: string | undefined
  readonly retry: string | undefined
  readonly data: string
}

/** A response with its events, to be read one by one. */
export class EventReader {
  #buffered = ''
  readonly #chunks: AsyncIterator<string>

  constructor(
    readonly response: IncomingMessage,
    private readonly sent: ClientRequest,
  ) {
    response.setEncoding('utf8')
    this.#chunks = response[Symbol.asyncIterator]() as AsyncIterator<string>
  }

  get status(): number {
    return this.response.statusCode as number
  }

  /** The next event, without comments; `null` at the end. */
  async next(): Promise<SentEvent | null> {
    for (;;) {
      const end = this.#buffered.indexOf('\n\n')
      if (end === -1) {
        // oxlint-disable-next-line no-await-in-loop
        const { value, done } = await this.#chunks.next()
        if (done === true) return null
        this.#buffered += value
        continue
      }
      const block = this.#buffered.slice(0, end)
      this.#buffered = this.#buffered.slice(end + 2)
      if (!block.startsWith(':')) return readEvent(block)
    }
  }

  async take(count: number): Promise<SentEvent[]> {
    const events: SentEvent[] = []
    while (events.length < count) {
      // oxlint-disable-next-line no-await-in-loop
      const event = await this.next()
      if (event === null) break
      events.push(event)
    }
    return events
  }

  rest(): Promise<SentEvent[]> {
    return this.take(Number.POSITIVE_INFINITY)
  }

  /** The next event with a message, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async message(): Promise<any> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const event = await this.next()
      if (event === null) return null
      if (event.data !== '') return JSON.parse(event.data) as unknown
    }
  }

  /** Breaks the connection without notice to the other end, like a network failure. */
  cut(): void {
    this.sent.destroy()
  }
}

function readEvent(block: string): SentEvent {
  const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  return { id: field('id'), retry: field('retry'), data: field('data') ?? '' }
}

/** The messages among events, parsed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function messagesIn(events: readonly SentEvent[]): any[] {
  return events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as unknown)
}

/** The messages of an event stream, in order. */
// oxlint-disable-next-line typescript/no-explicit-any
export function messagesOf(text: string): any[] {
  const data = text.split('\n\n').map((event) => /^data: (.*)$/m.exec(event)?.[1] ?? '')
  // An event without data only has a position.
  return data.filter((json) => json !== '').map((json) => JSON.parse(json) as unknown)
}
