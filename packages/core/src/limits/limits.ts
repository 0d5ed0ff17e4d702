import { bytes, count, milliseconds, nested } from '../options/kinds.js'
import { defaultsOf, type ReadOptions } from '../options/option.js'
import { longestTimer } from '../timing/long-timer.js'

const KiB = 1024
const MiB = 1024 * KiB
const minutes = 60_000

export const messageLimits = {
  /** One message: an HTTP body, a line on stdio. `Infinity` is not allowed. When exceeded: `bodyTooLarge`. Default: 4 MiB. */
  maxMessageBytes: bytes({ default: 4 * MiB, max: Number.MAX_SAFE_INTEGER }),
  /** Levels of nested JSON. When exceeded: `invalidRequest`. Default: 64. */
  maxDepth: count({ type: 'levels', default: 64 }),
  /**
   * Members of all objects of a message. 100,000 keys can block the event loop for a second. When exceeded: `invalidRequest`.
   * Default: 10,000.
   */
  maxKeys: count({ type: 'keys', default: 10_000 }),
  /** Items of all arrays of a message. When exceeded: `invalidRequest`. Default: 50,000. */
  maxItems: count({ type: 'items', default: 50_000 }),
  /** Messages of one batch (2025-03-26). When exceeded: `invalidRequest`. Default: 100. */
  maxBatch: count({ type: 'messages', default: 100 }),
  /**
   * One result, or all responses to a batch together. A tool can have another limit. When exceeded: from a tool, an error for the
   * model; otherwise `internalError`. Default: 10 MiB.
   * @see docs/reference/decorators.md#mcptool
   */
  maxResultBytes: bytes({ default: 10 * MiB }),
  /**
   * Unsent messages other than responses, for a client that reads slowly. When exceeded: the stream is closed; over stdio, these
   * messages are dropped. Over stdio, WebSocket and HTTP+SSE, no further call begins while more data is unsent. Default: 512 KiB.
   */
  maxBufferedBytes: bytes({ default: 512 * KiB }),
}

export const timeLimits = {
  /**
   * Duration of a call, unless its tool has `timeoutMs`. When exceeded: the signal aborts, and the model gets an error. Default:
   * 1 min.
   */
  callTimeoutMs: milliseconds({ default: 60_000 }),
  /**
   * Duration of a hook, excluding the handler and client requests. Hooks after the call share one timeout. A timeout before the
   * handler fails the call. A timeout after the handler is only logged. Default: 5,000.
   * @see docs/reference/hooks.md
   */
  hookTimeoutMs: milliseconds({ default: 5000 }),
  /**
   * Time until a client of 2025-11-25 or older responds to a client request. The timeout of the call restarts after each
   * response. When exceeded: the handler gets a `ClientRequestError`. Default: 10 min.
   * @see docs/reference/client-requests.md
   */
  clientRequestTimeoutMs: milliseconds({ default: 10 * minutes }),
  /**
   * Duration of an operation of a store or rate limiter. When exceeded: `unavailable`. Default: 1,000.
   * @see docs/reference/options.md#stores
   */
  storeTimeoutMs: milliseconds({ default: 1000 }),
  /**
   * Time without a sign of life of a node that shares its stores. When exceeded, for example because the process was killed or
   * blocked: the tasks of the node fail, and other nodes can run its rounds. Default: 1 min.
   * @see docs/how-to/scale-out.md#when-a-node-dies
   */
  nodeTimeoutMs: milliseconds({ default: minutes, max: longestTimer }),
}

export const loadLimits = {
  /**
   * Requests in flight, over all transports, except subscriptions, in-process calls and bodies still arriving. When exceeded:
   * `unavailable`, before the body is read. Default: 1,000.
   * @see docs/explanation/security-model.md#limits-of-a-connection
   */
  maxInFlight: count({ type: 'requests', default: 1000 }),
  /** Requests in flight of one caller. When exceeded: `rateLimited`. Default: no limit. */
  maxInFlightPerCaller: count({ type: 'requests', default: Infinity }),
  /** Open subscriptions (2026-07-28). When exceeded: `unavailable`. Default: 1,024. */
  maxSubscriptions: count({ type: 'subscriptions', default: 1024 }),
  /**
   * Open subscriptions of one principal or connection. A subscription request contains at most 128 KiB. When exceeded:
   * `unavailable`. Default: 100.
   */
  maxSubscriptionsPerPrincipal: count({ type: 'subscriptions', default: 100 }),
  /**
   * Subscribed URIs of clients of 2025-11-25 and older: all characters, plus 100 bytes for each URI. One caller can use at most
   * half of the bytes that other callers leave free. When exceeded: `unavailable`. Default: 64 MiB.
   */
  maxSubscribedBytes: bytes({ default: 64 * MiB }),
}

export const taskLimits = {
  /**
   * Stored tasks, running and ended. When exceeded: a call of an `optional` tool runs while the client waits; a call of a
   * `required` tool fails with `internalError`. Default: 1,000.
   */
  maxTasks: count({ type: 'tasks', default: 1000 }),
  /**
   * Stored tasks of one principal, or of all anonymous callers together. Without authentication, only `maxTasks` applies. When
   * exceeded: as for `maxTasks`. Default: 100.
   */
  maxTasksPerPrincipal: count({ type: 'tasks', default: 100 }),
  /**
   * Results and client responses of all tasks. When exceeded: the task, or the request that contains the client response, fails
   * with `internalError`. Default: 256 MiB.
   */
  maxTaskBytes: bytes({ default: 256 * MiB }),
  /** Results and client responses of one principal. When exceeded: as for `maxTaskBytes`. Default: 128 MiB. */
  maxTaskBytesPerPrincipal: bytes({ default: 128 * MiB }),
  /** Lifetime of a task from its creation. When exceeded: the handler is cancelled, and the task is deleted. Default: 1 h. */
  taskTtlMs: milliseconds({ default: 60 * minutes }),
}

export const roundLimits = {
  /** Stored rounds, until their `requestState` has expired. When exceeded: `unavailable`. Default: 100,000. */
  maxRounds: count({ type: 'rounds', default: 100_000 }),
  /** Stored rounds of one principal, or of all anonymous callers together. When exceeded: `unavailable`. Default: 10,000. */
  maxRoundsPerPrincipal: count({ type: 'rounds', default: 10_000 }),
  /**
   * Results of steps, and responses, of all stored rounds. When exceeded: new rounds are rejected with `unavailable`. A result that
   * does not fit is not stored, so a repeated round creates it again. Default: 128 MiB.
   */
  maxRoundBytes: bytes({ default: 128 * MiB }),
  /** Results of steps, and responses, of one principal. When exceeded: as for `maxRoundBytes`. Default: 64 MiB. */
  maxRoundBytesPerPrincipal: bytes({ default: 64 * MiB }),
}

export const skillLimits = {
  /**
   * Number of skills. When exceeded: boot fails. Default: 1,000.
   * @see docs/how-to/serve-skills.md
   */
  maxSkills: count({ type: 'skills', default: 1000 }),
  /** Files of all skills, in memory. When exceeded: boot fails. Default: 64 MiB. */
  maxSkillBytes: bytes({ default: 64 * MiB }),
}

export const sessionLimits = {
  /**
   * Open HTTP sessions. When exceeded: the caller with the most sessions loses a session. If all sessions are in use:
   * `unavailable`. Default: 10,000.
   * @see docs/reference/event-streams.md#session-stores
   */
  maxSessions: count({ type: 'sessions', default: 10_000 }),
  /** Lifetime of an unused session. When exceeded: `sessionNotFound`, and the client starts over. Default: 30 min. */
  sessionIdleMs: milliseconds({ default: 30 * minutes }),
  /** Stored events of one session. When exceeded: the oldest events are dropped. Default: 10,000. */
  maxStoredEvents: count({ type: 'events', default: 10_000 }),
  /**
   * Size of one session's stored events. The newest event is stored even if it is larger. When exceeded: the oldest events are
   * dropped. Default: 1 MiB.
   */
  maxStoredBytes: bytes({ default: MiB }),
  /**
   * Events of all sessions together. When exceeded: the oldest events of the caller with the most bytes are dropped. Default: 128
   * MiB.
   */
  maxTotalStoredBytes: bytes({ default: 128 * MiB }),
  /** Lifetime of an event. When exceeded: the event is dropped. Default: 10 min. */
  storedEventMs: milliseconds({ default: 10 * minutes }),
}

export const limitOptions = {
  ...messageLimits,
  ...timeLimits,
  ...loadLimits,
  ...taskLimits,
  ...roundLimits,
  ...skillLimits,
  ...sessionLimits,
}

/** Upper limits of one request, and of all requests together. */
export interface Limits extends ReadOptions<typeof limitOptions> {}

export const defaultLimits: Limits = defaultsOf(limitOptions)

export const limitsOption = nested(limitOptions, { noun: 'a limit', type: '`Partial<Limits>`' })

export interface StoreOwner {
  /** The option `name` of the server. */
  readonly name: string
  /** The limits of the server, with defaults filled in. */
  readonly limits: Limits
}
