import type { LoggingLevel } from '../../../context/logging-level.js'
import type { ClientInfo } from '../../../context/mcp-context.js'
import type { StoreOwner } from '../../../limits/limits.js'
import type { JsonObject } from '../../../rpc/messages.js'
import type { MaybePromise } from '../../../timing/maybe-promise.js'

/** The part of a legacy session that nodes share: plain JSON, for any store. Immutable: a change replaces it. */
export interface SessionRecord {
  /** Random id. The session may be used by its owner with this id. */
  readonly sessionId: string
  /** Issuer, subject and client of the caller that opened it, as one string; `null` for unauthenticated callers. */
  readonly owner: string | null
  /**
   * Key of the caller for rate limits and shared capacity, also for unauthenticated callers. Missing in sessions that
   * older versions stored: these count toward their owner.
   */
  readonly caller?: string
  /** Revision that the handshake negotiated. */
  readonly protocolVersion: string
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  /** Whether the client has sent `notifications/initialized`. */
  readonly isInitialized: boolean
  /** Level set by `logging/setLevel`; `null` before. */
  readonly logLevel: LoggingLevel | null
  /** URIs of `resources/subscribe`. */
  readonly subscribedUris: readonly string[]
  /** Subscribed URIs of resources that are hidden from the client. It gets no notifications for them. */
  readonly mutedUris: readonly string[]
  /** Position up to which the GET stream was delivered when its last connection ended. */
  readonly delivered: number
  /**
   * Id of the node with the client's GET stream; `null` if it is not open. Missing in sessions that older versions
   * stored.
   */
  readonly listensAt?: string | null
  /**
   * Digests of the lists that the client last saw: when the session was opened, or when a node last notified it. A node
   * with other lists notifies the client at its first request there. Missing in sessions that older versions stored:
   * their clients are not notified.
   */
  readonly lists?: { readonly tools: string; readonly prompts: string; readonly resources: string }
}

/** A node that serves sessions of a store. */
export interface SessionNode {
  /**
   * Whether this node runs a call of the session, or has a stream of its client open. Such a session must not be
   * evicted.
   */
  isInUse(sessionId: string): boolean
  /** Called when a session has ended: deleted on some node, expired, or evicted. May be called more than once. */
  ended(sessionId: string): void
  /**
   * Receives a message from {@link SessionStore.forward}. Does nothing if the message concerns nothing on this node.
   */
  received(sessionId: string, message: string): void
}

/**
 * Stores legacy sessions. The default is local to the process. With a shared store, any node can serve a client.
 * Methods may return values or promises. If a method throws, rejects, returns an invalid session or takes longer than
 * `limits.storeTimeoutMs`, the current request fails, and the client is asked to retry.
 */
export interface SessionStore {
  /**
   * Called once when a server with this store boots, with the server's name and limits. An error prevents the server
   * from starting.
   */
  prepare?(owner: StoreOwner): MaybePromise<void>
  /** Stores a new session for `idleMs` milliseconds; `Infinity`: for ever. `false` if the store is full. */
  create(session: SessionRecord, idleMs: number): MaybePromise<boolean>
  /** Returns a session; `undefined` if it is unknown or has ended. */
  get(sessionId: string): MaybePromise<SessionRecord | undefined>
  /**
   * Replaces a session with the result of `change`, atomically. `change` may run more than once. It returns the same
   * object to leave the session unchanged. Its errors are passed on.
   *
   * @returns The stored session; `undefined` if the session does not exist.
   */
  update(sessionId: string, change: (session: SessionRecord) => SessionRecord): MaybePromise<SessionRecord | undefined>
  /** Extends the lifetime of a session to `idleMs` from now. Does nothing if the session does not exist. */
  touch(sessionId: string, idleMs: number): MaybePromise<void>
  /** Ends a session on every node. */
  delete(sessionId: string): MaybePromise<void>
  /**
   * Sends a JSON message to all other nodes that serve a session: a client's answer or cancellation that reached the
   * wrong node, or the notice that a stream has moved to this node. If this fails, the client is asked to retry.
   * Without this method, such answers and cancellations are dropped, and a stream that is open on two nodes sends its
   * messages twice.
   */
  forward?(sessionId: string, message: string): MaybePromise<void>
  /**
   * Registers a node for ended sessions and forwarded messages. Returns a function that unregisters it. A missed end is
   * detected later.
   */
  attach(node: SessionNode): () => void
  /** Number of sessions, if it is available synchronously. */
  readonly size?: number
  /**
   * Whether no other node serves the sessions at present. If so, a closing server does not wait for answers that only
   * another node could forward. Default: false.
   */
  readonly isAlone?: boolean
}
