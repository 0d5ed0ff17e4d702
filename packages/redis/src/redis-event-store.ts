import type { EventStore, StreamKey, StreamPage } from '@toolwright/core'
import type { Connection } from './connection.js'
import { append, forget, read } from './event-scripts.js'
import { hashOf, type Keys } from './keys.js'
import type { Script } from './script.js'
import { longestMs } from './script-parts.js'
import type { Subscriptions } from './subscriptions.js'

interface EventBounds {
  /** For each session. */
  readonly maxStoredEvents: number
  /** For each session, in bytes. */
  readonly maxStoredBytes: number
  /** For all sessions together, in bytes. */
  readonly maxTotalStoredBytes: number
  readonly storedEventMs: number
  /** Milliseconds for which a session is kept that nobody uses. */
  readonly sessionIdleMs: number
}

/** What an event takes besides its message. */
const eventBytes = 100

/** `null` is no text. */
const [noMessage, message] = ['n', 'm']

/** Events that nodes share, bounded in number, bytes and age, as those in memory are. */
export class RedisEventStore implements EventStore {
  readonly #watchers = new Map<string, Set<() => void>>()

  constructor(
    private readonly connection: Connection,
    private readonly subscriptions: Subscriptions,
    private readonly keys: Keys,
    private readonly bounds: EventBounds,
  ) {}

  async append(key: StreamKey, text: string | null, isLast: boolean, caller = ''): Promise<void> {
    const { sessionId, streamId } = key
    const { maxStoredEvents, maxStoredBytes, maxTotalStoredBytes } = this.bounds
    await this.#run(append, key, [
      text === null ? noMessage : message + text,
      eventBytes + Buffer.byteLength(text ?? ''),
      isLast ? 1 : 0,
      hashOf(caller),
      maxStoredEvents,
      maxStoredBytes,
      maxTotalStoredBytes,
      this.#channelOf(sessionId),
      `${this.subscriptions.node} ${streamId}`,
    ])
    // Those on this node need not wait for Redis to tell them.
    for (const onAppend of this.#watchers.get(nameOf(key)) ?? []) onAppend()
  }

  async read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    const answer = (await this.#run(read, key, [after, max])) as [number, number, number, ...string[]] | null
    if (answer === null) return undefined
    const [isWhole, isEnd, first, ...texts] = answer
    const events = texts.map((text, index) => ({
      sequence: first + index,
      message: text === noMessage ? null : text.slice(1),
    }))
    return { events, isWhole: isWhole === 1, isEnd: isEnd === 1 }
  }

  watch(key: StreamKey, onAppend: () => void): () => void {
    const name = nameOf(key)
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers.add(onAppend))
    const unsubscribe = this.subscriptions.add(this.#channelOf(key.sessionId), {
      onMessage: (streamId) => {
        if (streamId === key.streamId) onAppend()
      },
      onBegin: onAppend,
      onGap: onAppend,
    })
    return () => {
      unsubscribe()
      watchers.delete(onAppend)
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name)
    }
  }

  async forget(sessionId: string): Promise<void> {
    await this.#run(forget, { sessionId, streamId: '' }, [])
  }

  #run(script: Script, { sessionId, streamId }: StreamKey, args: readonly (string | number)[]): Promise<unknown> {
    const { keys, bounds } = this
    const [bodies, order] = [keys.of('events', ''), keys.of('order', '')]
    const storedMs = Math.min(bounds.storedEventMs, longestMs)
    const knownMs = Math.min(Math.max(storedMs, bounds.sessionIdleMs), longestMs)
    return this.connection.script(
      script,
      [keys.streams(sessionId), keys.of('events'), keys.of('events-bytes'), keys.of('events-callers')],
      [sessionId, streamId, bodies, order, storedMs, knownMs, ...args],
    )
  }

  #channelOf(sessionId: string): string {
    return this.keys.of('appended', sessionId)
  }
}

function nameOf({ sessionId, streamId }: StreamKey): string {
  return `${sessionId}/${streamId}`
}
