import { EntriesByCaller } from './entries-by-caller.js'
import type { EventStore, StoredEvent, StreamKey, StreamPage } from './event-store.js'
import { Sweeper } from './sweeper.js'

interface EventLimits {
  readonly maxStoredEvents: number
  readonly maxStoredBytes: number
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

/** Overhead of an event in bytes, besides its message. */
const eventBytes = 100

/**
 * Stores events in memory, limited in number, bytes and age. The newest event of a session is always stored, so that the
 * connected client gets the event. If the total limit is exceeded, the caller with the most bytes loses its oldest event.
 */
export class InMemoryEventStore implements EventStore {
  readonly #sessions = new Map<string, SessionEvents>()
  readonly #entries = new Set<Entry>()
  readonly #callers = new EntriesByCaller<Entry>()
  readonly #watchers = new Map<string, Set<() => void>>()
  #displaced = 0
  readonly #sweeper = new Sweeper(() => {
    this.#dropExpired()
    return this.#entries.size > 0
  })

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
    return this.#callers.bytes
  }

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
    while (this.bytes + bytes > maxTotalStoredBytes) {
      const entry = this.#callers.oldestOfMost(session.caller, bytes)
      if (entry === undefined) break
      this.#displace(entry)
    }
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
    this.#callers.add(entry.session.caller, entry)
    this.#entries.add(entry)
    this.#sweeper.start(this.limits.storedEventMs)
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

  #uncount(entry: Entry): void {
    this.#callers.delete(entry.session.caller, entry)
    this.#entries.delete(entry)
  }

  close(): void {
    this.#sweeper.stop()
  }
}

function nameOf({ sessionId, streamId }: StreamKey): string {
  return `${sessionId}/${streamId}`
}
