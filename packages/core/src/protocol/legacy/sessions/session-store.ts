import type { LoggingLevel } from '../../../context/logging-level.js'
import type { ClientInfo } from '../../../context/mcp-context.js'
import type { StoreOwner } from '../../../limits/store-owner.js'
import type { JsonObject } from '../../../rpc/messages.js'

/** What nodes share of a legacy session: plain JSON, so that any store can hold it. Never changed, only replaced. */
export interface SessionRecord {
  /** Random: who knows it and is the owner may use the session. */
  readonly sessionId: string
  /** Who opened it: issuer, subject and client as one text; `null` when the transport authenticates nobody. */
  readonly owner: string | null
  /**
   * Whom it counts for where all share: what rate limits tell callers apart by, also those that nobody authenticated.
   * Sessions that were kept before there was such a thing have none, and count for their owner.
   */
  readonly caller?: string
  /** The revision that the handshake agreed on. */
  readonly protocolVersion: string
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  /** `notifications/initialized` has come. */
  readonly isInitialized: boolean
  /** What `logging/setLevel` asked for; `null` before. */
  readonly logLevel: LoggingLevel | null
  /** What `resources/subscribe` asked for. */
  readonly subscribedUris: readonly string[]
  /** What it asked for that is hidden from its client, which is never told of it. */
  readonly mutedUris: readonly string[]
  /** How far the GET stream had been handed out when a connection to it ended. */
  readonly delivered: number
  /**
   * The node at which the client has the GET stream open; `null` where it is at none. Sessions that were kept before there
   * was such a thing have none.
   */
  readonly listensAt?: string | null
  /**
   * Digests of the lists that the client saw when the session was opened, or when a node last told it of other ones. A node
   * with other lists tells it at its first request there. Sessions that were kept before there was such a thing have none,
   * and their clients are not told.
   */
  readonly lists?: { readonly tools: string; readonly prompts: string; readonly resources: string }
}

/** A node that serves sessions of a store. */
export interface SessionNode {
  /** Whether it runs a call of this session, or its client listens there: such a session is not forgotten. */
  isInUse(sessionId: string): boolean
  /** The session has ended: deleted on some node, expired, or forgotten to make room. Safe to call more than once. */
  ended(sessionId: string): void
  /** A message that was given to {@link SessionStore.forward}. Does nothing where it is for nothing that runs here. */
  received(sessionId: string, message: string): void
}

/**
 * Keeps legacy sessions. The default holds them in the memory of this process; a store that several nodes share lets a
 * client come to any of them. Methods may answer at once or with a promise. One that throws, rejects, answers with
 * something else than a session or takes longer than `limits.storeTimeoutMs` costs the request that needs it: the
 * client is told to try again.
 */
export interface SessionStore {
  /**
   * Called once when a server boots that keeps things here, with its name and its limits. An error that it throws prevents
   * the server from starting.
   */
  prepare?(owner: StoreOwner): void | Promise<void>
  /** Keeps a new session for `idleMs` milliseconds; `Infinity`: for ever. `false`: there is no room for it. */
  create(session: SessionRecord, idleMs: number): boolean | Promise<boolean>
  /** `undefined` for a session that is unknown or has ended. */
  get(sessionId: string): SessionRecord | undefined | Promise<SessionRecord | undefined>
  /**
   * Replaces a session with what `change` makes of it, as one step: no other change comes between. `change` may run more
   * than once, and returns the same object to leave the session as it is; what it throws is thrown on.
   *
   * @returns What is kept now; `undefined` when there is no such session.
   */
  update(
    sessionId: string,
    change: (session: SessionRecord) => SessionRecord,
  ): SessionRecord | undefined | Promise<SessionRecord | undefined>
  /** The session was used: it is kept for `idleMs` from now on. Does nothing when there is none. */
  touch(sessionId: string, idleMs: number): void | Promise<void>
  /** Ends a session on every node. */
  delete(sessionId: string): void | Promise<void>
  /**
   * Brings a message to all other nodes that serve a session, as JSON text: an answer to a question, or a cancellation,
   * that came to a node which knows nothing of either, and that a stream is open at another node now. The client is told
   * to try again when that fails. Without this member, what comes to such a node is dropped, and a stream that is open at
   * two nodes brings its messages twice.
   */
  forward?(sessionId: string, message: string): void | Promise<void>
  /**
   * Tells the node of ends, and of what is forwarded, until the function that it returns is called. An end that is missed
   * is found out later.
   */
  attach(node: SessionNode): () => void
  /** Sessions at present, where that is known at once. */
  readonly size?: number
  /**
   * Whether no other node serves the sessions at present. A server that closes does not wait for answers that only another
   * could bring. Default: false.
   */
  readonly isAlone?: boolean
}
