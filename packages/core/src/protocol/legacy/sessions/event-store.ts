import type { StoreOwner } from '../../../limits/store-owner.js'

/** One stream of one session. The id is unique within its session only: a store that ignores the session leaks. */
export interface StreamKey {
  readonly sessionId: string
  readonly streamId: string
}

/** A message as it was kept. */
export interface StoredEvent {
  /** Its place in the stream: 1, 2, 3 and so on. */
  readonly sequence: number
  /** JSON text; `''` where only the place matters; `null` at an end that came without a message. */
  readonly message: string | null
}

/** What a store still has of a stream. */
export interface StreamPage {
  /** In their order, without gaps between them. */
  readonly events: readonly StoredEvent[]
  /** Whether the first of them is the one that was asked for: events before it may be gone. */
  readonly isWhole: boolean
  /** Nothing will ever follow these events. */
  readonly isEnd: boolean
}

/**
 * Keeps what legacy sessions send over event streams, so that a client whose connection broke can come back for the
 * rest. Give {@link ServerOptions.eventStore} one of your own to share sessions between processes.
 *
 * What is appended to a stream, one call after the other, is read in that order. A promise that is rejected, or not
 * settled within `limits.storeTimeoutMs`, cuts the stream that it was for.
 */
export interface EventStore {
  /**
   * Called once when a server boots that keeps things here, with its name and its limits. An error that it throws prevents
   * the server from starting.
   */
  prepare?(owner: StoreOwner): void | Promise<void>
  /**
   * Keeps a message as the next of its stream; the first one makes the stream. Does nothing after the last one.
   *
   * @param isLast Nothing follows it.
   * @param caller Whom it counts for where all share: see {@link SessionRecord}. Those without one are one caller.
   */
  append(key: StreamKey, message: string | null, isLast: boolean, caller?: string): Promise<void>
  /**
   * Keeps several messages of one stream, in their order, as several calls of `append` would. Without this member, messages
   * that came while the store kept one are appended one after the other.
   *
   * @param isLast Nothing follows the last of them.
   */
  appendAll?(key: StreamKey, messages: readonly (string | null)[], isLast: boolean, caller?: string): Promise<void>
  /**
   * The oldest events after this place, at most `max` of them. `undefined` for a stream that is not known, and for a
   * place that it has not reached.
   */
  read(key: StreamKey, after: number, max: number): Promise<StreamPage | undefined>
  /** Calls back whenever something may have been appended, until the function that it returns is called. */
  watch(key: StreamKey, onAppend: () => void): () => void
  /** Forgets every stream of a session. */
  forget(sessionId: string): Promise<void>
}
