import type { MaybePromise, StoreOwner } from '@toolwright/core'
import type { StoredSession } from '@toolwright/core/extension'

/** The part of a legacy session that nodes share: plain JSON, for any store. Immutable: a change replaces the record. */
export interface SessionRecord extends StoredSession {
  /** Random id. Only the owner is allowed to use the session. */
  readonly sessionId: string
  /** Position of the last event delivered on the GET stream. Stored when a connection of this stream ends. */
  readonly delivered: number
  /**
   * Id of the node with the client's GET stream; `null` if the stream is not open. Missing in sessions that older versions
   * stored.
   */
  readonly listensAt?: string | null
}

export interface SessionNode {
  /**
   * Whether this node runs a call of the session, or has a stream of the session open. The store must not evict such a session.
   */
  isInUse(sessionId: string): boolean
  /**
   * Called when a session has ended: deleted on some node, expired, or evicted. Can be called several times for the same session.
   */
  ended(sessionId: string): void
  /**
   * Receives a message from {@link SessionStore.forward}. Ignores messages for sessions, requests and streams that this node does
   * not serve.
   */
  received(sessionId: string, message: string): void
}

/**
 * Stores legacy sessions. The default store is local to the process. With a shared store, any node can serve a client. Methods
 * can return values or promises. A method fails if it throws, rejects, returns an invalid session or takes longer than
 * `limits.storeTimeoutMs`. If a method fails, the current request fails, and the client is asked to retry.
 */
export interface SessionStore {
  /**
   * Called one time when a server with this store boots, with the server's name and limits. An error prevents the server from
   * starting.
   */
  prepare?(owner: StoreOwner): MaybePromise<void>
  /** Stores a new session for `idleMs` milliseconds (`Infinity`: for ever). Returns `false` if the store is full. */
  create(session: SessionRecord, idleMs: number): MaybePromise<boolean>
  /** Returns a session; `undefined` if the session is unknown or has ended. */
  get(sessionId: string): MaybePromise<SessionRecord | undefined>
  /**
   * Replaces a session with the result of `change`, atomically. `change` can run more than once. If `change` returns the same
   * object, the session stays unchanged. Errors of `change` are passed to the caller of `update`.
   *
   * @returns The stored session; `undefined` if the session does not exist.
   */
  update(sessionId: string, change: (session: SessionRecord) => SessionRecord): MaybePromise<SessionRecord | undefined>
  /** Extends the lifetime of a session to `idleMs` milliseconds from now. Does nothing if the session does not exist. */
  touch(sessionId: string, idleMs: number): MaybePromise<void>
  /** Ends a session on every node. */
  delete(sessionId: string): MaybePromise<void>
  /**
   * Sends a JSON message to all other nodes that serve a session. Examples are a client's answer that reached the wrong node, and
   * a notification that a stream has moved to this node. If forwarding fails, the client is asked to retry. Without this method,
   * answers and cancellations at the wrong node are dropped, and a stream sends its messages twice if it is open on two nodes.
   */
  forward?(sessionId: string, message: string): MaybePromise<void>
  /**
   * Registers a node that is notified of ended sessions, and gets forwarded messages. Returns a function that unregisters the
   * node. If a notification is lost, the node detects the end of the session later.
   */
  attach(node: SessionNode): () => void
  /** Number of sessions, for stores that can count without a promise. */
  readonly size?: number
  /**
   * Whether no other node serves the sessions at present. If `true`, a closing server does not wait for answers from other nodes.
   * Default: false.
   */
  readonly isAlone?: boolean
}
