import type { StoreOwner } from '@toolwright/core'
import type { EventStore, StreamKey, StreamPage } from '@toolwright/sessions'
import { append, count, drop, read, remove, shrink, uncount } from './event-scripts.js'
import { hashOf, type Keys } from './keys.js'
import { longestMs, type Script } from './script.js'
import type { StoreConnection } from './store-connection.js'
import type { StoresOwner } from './stores-owner.js'
import type { Subscriptions } from './subscriptions.js'

/** Bytes of an event without its message. */
const eventBytes = 100

/** Prefixes that distinguish `null` from a string. */
const [noMessage, message] = ['n', 'm']

/** Events that nodes share. The events are limited in number, bytes and age, like the in-memory store. */
export class RedisEventStore implements EventStore {
  readonly #watchers = new Map<string, Set<() => void>>()
  readonly #counts: readonly string[]

  constructor(
    private readonly connection: StoreConnection,
    private readonly subscriptions: Subscriptions,
    private readonly keys: Keys,
    private readonly owner: StoresOwner,
  ) {
    this.#counts = ['sessions', 'bytes', 'callers'].map((name) => keys.in('events', name))
  }

  prepare(owner: StoreOwner): Promise<void> {
    return this.owner.prepare(owner)
  }

  append(key: StreamKey, text: string | null, isLast: boolean, caller?: string): Promise<void> {
    return this.appendAll(key, [text], isLast, caller)
  }

  /** Appends messages in one round trip. @param isLast Applies to the last message. */
  async appendAll(key: StreamKey, texts: readonly (string | null)[], isLast: boolean, caller = ''): Promise<void> {
    const { sessionId, streamId } = key
    const { maxStoredEvents, maxStoredBytes } = this.owner.limits
    const messages = texts.flatMap((text, index) => [
      streamId,
      text === null ? noMessage : message + text,
      eventBytes + Buffer.byteLength(text ?? ''),
      isLast && index === texts.length - 1 ? 1 : 0,
    ])
    const args = [maxStoredEvents, maxStoredBytes, this.#channelOf(sessionId), this.subscriptions.node, ...messages]
    const bytes = Number(await this.#run(append, sessionId, args))
    // Notifies watchers on this node directly, without waiting for Redis.
    for (const onAppend of this.#watchers.get(nameOf(key)) ?? []) onAppend()
    await this.#count(sessionId, hashOf(caller), bytes)
  }

  async read({ sessionId, streamId }: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    const args = [streamId, after, max]
    const answer = (await this.#run(read, sessionId, args)) as [number, number, number, ...string[]] | null
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

  async delete(sessionId: string): Promise<void> {
    await this.#run(remove, sessionId, [])
    await this.connection.script(uncount, this.#counts, [sessionId, this.#storedMs])
  }

  /** Counts the events of a session. Drops events beyond the limit of all sessions, a few at a time. */
  async #count(sessionId: string, caller: string, appended: number): Promise<void> {
    let [bytes, mayShrink, goesOn] = [appended, 1, true]
    const { maxTotalStoredBytes } = this.owner.limits
    while (goesOn) {
      const args = [sessionId, this.#storedMs, bytes, maxTotalStoredBytes, caller, mayShrink]
      // oxlint-disable-next-line no-await-in-loop
      const answer = (await this.connection.script(count, this.#counts, args)) as [number, number, ...string[]]
      const [excess, isMore, ...dropped] = answer
      // oxlint-disable-next-line no-await-in-loop
      await Promise.all(dropped.map((each) => this.#run(drop, each, [])))
      // oxlint-disable-next-line no-await-in-loop
      if (excess > 0) [bytes, mayShrink] = (await this.#run(shrink, sessionId, [excess])) as [number, number]
      goesOn = isMore === 1
    }
  }

  get #storedMs(): number {
    return Math.min(this.owner.limits.storedEventMs, longestMs)
  }

  #run(script: Script, sessionId: string, args: readonly (string | number)[]): Promise<unknown> {
    const { keys } = this
    const storedMs = this.#storedMs
    const knownMs = Math.min(Math.max(storedMs, this.owner.limits.sessionIdleMs), longestMs)
    const names = [keys.in(sessionId, 'events'), keys.in(sessionId, 'order'), keys.streams(sessionId)]
    return this.connection.script(script, names, [storedMs, knownMs, ...args])
  }

  #channelOf(sessionId: string): string {
    return this.keys.of('appended', sessionId)
  }
}

function nameOf({ sessionId, streamId }: StreamKey): string {
  return `${sessionId}/${streamId}`
}
