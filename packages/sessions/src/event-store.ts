import type { MaybePromise, StoreOwner } from '@toolwright/core'

/** One stream of one session. Stream ids are only unique within their session: a store must use both ids as the key. */
export interface StreamKey {
  readonly sessionId: string
  readonly streamId: string
}

export interface StoredEvent {
  /** Position in the stream: 1, 2, 3 and so on. */
  readonly sequence: number
  /** JSON text; `''` for an event without data; `null` if the stream ends without a message. */
  readonly message: string | null
}

export interface StreamPage {
  /** Events in order, without gaps. */
  readonly events: readonly StoredEvent[]
  /** Whether the events directly follow the requested position. If not, the store could have evicted events in between. */
  readonly isWhole: boolean
  readonly isEnd: boolean
}

/**
 * Stores messages of the event streams of legacy sessions, so that a client can reconnect and get missed messages. Set
 * the option `eventStore` of `createServer` to a custom store to share sessions between processes.
 *
 * A store must return events in the order in which they were appended. If a promise of the store rejects, or does not settle
 * within `limits.storeTimeoutMs`, the stream is closed.
 */
export interface EventStore {
  /**
   * Called one time when a server with this store boots, with the server's name and limits. An error prevents the server from
   * starting.
   */
  prepare?(owner: StoreOwner): MaybePromise<void>
  /**
   * Stores a message as the next event of its stream. The first message creates the stream. Does nothing after the last message.
   *
   * @param isLast Whether the stream ends with this message.
   * @param caller Key of the caller, as in {@link SessionRecord}. A full store drops events of the caller with the most bytes.
   * Messages without a caller are counted together.
   */
  append(key: StreamKey, message: string | null, isLast: boolean, caller?: string): Promise<void>
  /**
   * Stores several messages of one stream in order, like several calls of `append`. Without this method, messages that
   * arrive while the store is busy are appended one by one.
   *
   * @param isLast Whether the stream ends with the last message.
   */
  appendAll?(key: StreamKey, messages: readonly (string | null)[], isLast: boolean, caller?: string): Promise<void>
  /**
   * Returns the oldest events after a position, at most `max`. Returns `undefined` for an unknown stream, and for a position that
   * the stream has not reached.
   */
  read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined>
  /** Calls `onAppend` when events could have been appended. Returns a function that stops these calls. */
  watch(key: StreamKey, onAppend: () => void): () => void
  delete(sessionId: string): Promise<void>
}
