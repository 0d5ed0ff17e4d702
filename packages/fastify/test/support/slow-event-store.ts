import type { EventStore, StoredEvent, StreamKey, StreamPage } from '@toolwright/sessions'
import { delay } from '../../../../test/support/delay.js'

/** An event store like one behind a network: every response has a different delay. */
export class SlowEventStore implements EventStore {
  readonly #streams = new Map<string, { messages: (string | null)[]; isEnded: boolean }>()
  readonly #watchers = new Map<string, Set<() => void>>()
  /** The failure of the store, while there is one. */
  failure: Error | null = null

  constructor(private readonly random: () => number) {}

  async append(key: StreamKey, message: string | null, isLast: boolean): Promise<void> {
    await this.#travel()
    const name = nameOf(key)
    const stream = this.#streams.get(name) ?? { messages: [], isEnded: false }
    this.#streams.set(name, stream)
    if (stream.isEnded) return
    stream.messages.push(message)
    stream.isEnded = isLast
    for (const onAppend of this.#watchers.get(name) ?? []) onAppend()
    await this.#travel()
  }

  async read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    await this.#travel()
    const stream = this.#streams.get(nameOf(key))
    if (stream === undefined || after > stream.messages.length) return undefined
    const events = stream.messages
      .slice(after, after + max)
      .map((message, index): StoredEvent => ({ sequence: after + index + 1, message }))
    const page = { events, isWhole: true, isEnd: stream.isEnded && after + max >= stream.messages.length }
    await this.#travel()
    return page
  }

  watch(key: StreamKey, onAppend: () => void): () => void {
    const name = nameOf(key)
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers.add(onAppend))
    return () => watchers.delete(onAppend)
  }

  async delete(sessionId: string): Promise<void> {
    await this.#travel()
    for (const name of this.#streams.keys()) if (name.startsWith(sessionId)) this.#streams.delete(name)
  }

  get size(): number {
    return this.#streams.size
  }

  async #travel(): Promise<void> {
    if (this.failure !== null) throw this.failure
    if (this.random() < 0.1) await delay(1)
  }
}

function nameOf({ sessionId, streamId }: StreamKey): string {
  return `${sessionId} ${streamId}`
}
