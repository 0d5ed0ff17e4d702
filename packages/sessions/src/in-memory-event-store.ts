import { CallerUsage } from './caller-usage.js'
import type { EventStore, StoredEvent, StreamKey, StreamPage } from './event-store.js'

interface EventLimits {
  readonly maxStoredEvents: number
  /** Maximum bytes per session. */
  readonly maxStoredBytes: number
  /** Maximum bytes of all sessions together. */
  readonly maxTotalStoredBytes: number
  readonly storedEventMs: number
}

interface Entry extends StoredEvent {
  readonly bytes: number
  readonly storedAt: number
  readonly session: SessionEvents
  readonly stream: StreamEvents
}

interface StreamEvents {
  readonly streamId: string
  /** Entries with consecutive positions, because the oldest entries are evicted first. */
  readonly entries: Entry[]
  last: number
  isEnded: boolean
}

interface SessionEvents {
  readonly caller: string
  readonly streams: Map<string, StreamEvents>
  readonly entries: Set<Entry>
  bytes: number
}

interface CallerEvents {
  readonly entries: Set<Entry>
  bytes: number
}

/** Overhead of an event in bytes, besides its message. */
const eventBytes = 100

/** Callers are ranked by their stored bytes, rounded to this number, so that small differences are ignored. */
const rankedBytes = 1024

/** Maximum milliseconds between checks for expired events, even if no message is sent. */
const longestWaitMs = 60_000

/**
 * Stores events in memory, limited in number, bytes and age. The newest event of a session is always stored, so that the
 * connected client gets the event. If the total limit is exceeded, the caller with the most bytes loses its oldest event.
 */
export class InMemoryEventStore implements EventStore {
  readonly #sessions = new Map<string, SessionEvents>()
  readonly #entries = new Set<Entry>()
  readonly #callers = new Map<string, CallerEvents>()
  readonly #usage = new CallerUsage()
  readonly #watchers = new Map<string, Set<() => void>>()
  #bytes = 0
  #displaced = 0
  #timer: NodeJS.Timeout | null = null

  constructor(readonly limits: EventLimits) {}

  async append(key: StreamKey, message: string | null, isLast: boolean, caller = ''): Promise<void> {
    const session = this.#session(key.sessionId, caller)
    const stream = this.#stream(session, key.streamId)
    if (stream.isEnded) return
    const bytes = eventBytes + Buffer.byteLength(message ?? '')
    this.#evict(session, bytes)
    stream.last++
    stream.isEnded = isLast
    this.#add({ sequence: stream.last, message, bytes, storedAt: performance.now(), session, stream })
    for (const onAppend of this.#watchers.get(nameOf(key)) ?? []) onAppend()
  }

  async read({ sessionId, streamId }: StreamKey, after: number, max: number): Promise<StreamPage | undefined> {
    this.#dropExpired()
    const stream = this.#sessions.get(sessionId)?.streams.get(streamId)
    if (stream === undefined || after > stream.last) return undefined
    const firstKept = stream.last - stream.entries.length + 1
    const from = Math.max(after + 1 - firstKept, 0)
    const events = stream.entries.slice(from, from + max)
    const isEnd = stream.isEnded && from + max >= stream.entries.length
    return { events, isWhole: after + 1 >= firstKept, isEnd }
  }

  watch(key: StreamKey, onAppend: () => void): () => void {
    const name = nameOf(key)
    const watchers = this.#watchers.get(name) ?? new Set()
    this.#watchers.set(name, watchers.add(onAppend))
    return () => {
      watchers.delete(onAppend)
      if (watchers.size === 0 && this.#watchers.get(name) === watchers) this.#watchers.delete(name)
    }
  }

  async delete(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    this.#sessions.delete(sessionId)
    for (const entry of session.entries) this.#uncount(entry)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Number of unexpired events that were evicted since the start. */
  get displaced(): number {
    return this.#displaced
  }

  #session(sessionId: string, caller: string): SessionEvents {
    const known = this.#sessions.get(sessionId)
    if (known !== undefined) return known
    const session: SessionEvents = { caller, streams: new Map(), entries: new Set(), bytes: 0 }
    this.#sessions.set(sessionId, session)
    return session
  }

  #stream(session: SessionEvents, streamId: string): StreamEvents {
    const known = session.streams.get(streamId)
    if (known !== undefined) return known
    const stream: StreamEvents = { streamId, entries: [], last: 0, isEnded: false }
    session.streams.set(streamId, stream)
    return stream
  }

  #evict(session: SessionEvents, bytes: number): void {
    const { maxStoredEvents, maxStoredBytes, maxTotalStoredBytes } = this.limits
    this.#dropExpired()
    for (const entry of session.entries) {
      if (session.entries.size < maxStoredEvents && session.bytes + bytes <= maxStoredBytes) break
      this.#displace(entry)
    }
    while (this.#bytes + bytes > maxTotalStoredBytes) {
      const entry = this.#oldestOfMost(session.caller, bytes)
      if (entry === undefined) break
      this.#displace(entry)
    }
  }

  /**
   * Returns the oldest event of the caller with the most bytes. The bytes of the new event are added to the bytes of its caller.
   */
  #oldestOfMost(caller: string, bytes: number): Entry | undefined {
    const [name = ''] = this.#usage
    const [most, own] = [this.#callers.get(name), this.#callers.get(caller)]
    const isOwn = own !== undefined && most !== undefined && own.bytes + bytes >= most.bytes
    const [oldest] = (isOwn ? own : most)?.entries ?? []
    return oldest
  }

  #displace(entry: Entry): void {
    this.#displaced++
    this.#drop(entry)
  }

  #dropExpired(): void {
    const oldest = performance.now() - this.limits.storedEventMs
    for (const entry of this.#entries) {
      if (entry.storedAt > oldest) return
      this.#drop(entry)
    }
  }

  #add(entry: Entry): void {
    entry.stream.entries.push(entry)
    entry.session.entries.add(entry)
    entry.session.bytes += entry.bytes
    this.#count(entry)
    if (this.#timer === null) this.#timer = this.#schedule()
  }

  #drop(entry: Entry): void {
    const { session, stream, bytes } = entry
    stream.entries.shift()
    session.entries.delete(entry)
    session.bytes -= bytes
    this.#uncount(entry)
    // A stream that has not ended is kept even without entries, because its next event continues the numbering.
    if (stream.isEnded && stream.entries.length === 0) session.streams.delete(stream.streamId)
  }

  #count(entry: Entry): void {
    const { caller } = entry.session
    const events = this.#callers.get(caller) ?? { entries: new Set(), bytes: 0 }
    this.#callers.set(caller, events)
    events.entries.add(entry)
    this.#entries.add(entry)
    this.#changeBytes(caller, events, entry.bytes)
  }

  #uncount(entry: Entry): void {
    const { caller } = entry.session
    const events = this.#callers.get(caller) as CallerEvents
    events.entries.delete(entry)
    this.#entries.delete(entry)
    this.#changeBytes(caller, events, -entry.bytes)
    if (events.entries.size === 0) this.#callers.delete(caller)
  }

  #changeBytes(caller: string, events: CallerEvents, bytes: number): void {
    const before = Math.ceil(events.bytes / rankedBytes)
    this.#bytes += bytes
    events.bytes += bytes
    const after = Math.ceil(events.bytes / rankedBytes)
    if (after !== before) this.#usage.set(caller, after)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #schedule(): NodeJS.Timeout {
    const { storedEventMs } = this.limits
    const timer = setTimeout(
      () => {
        this.#dropExpired()
        this.#timer = this.#entries.size === 0 ? null : this.#schedule()
      },
      Math.min(storedEventMs, longestWaitMs),
    )
    return timer.unref()
  }
}

function nameOf({ sessionId, streamId }: StreamKey): string {
  return `${sessionId}/${streamId}`
}
