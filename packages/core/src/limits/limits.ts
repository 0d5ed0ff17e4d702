/** Bounds on what one request, or all of them together, may take. */
export interface Limits {
  /** Bytes of one message: an HTTP body, a line on stdio. Default: 4 MiB. */
  readonly maxMessageBytes: number
  /** Levels of nested JSON. Default: 64. */
  readonly maxDepth: number
  /**
   * Keys of one message: the members of all its objects together. One that no other object has takes as long to parse as
   * fifty numbers, and every look at the arguments costs as much again. With the defaults one request keeps the event loop
   * for no more than 100 ms; 100,000 keys can keep it for a second. Default: 10,000, or 2,500 rows of four columns.
   */
  readonly maxKeys: number
  /** Items of one message: those of all its arrays together. Default: 50,000. */
  readonly maxItems: number
  /** Messages in a batch (2025-03-26 only). Default: 100. */
  readonly maxBatch: number
  /** Milliseconds for one call, when its tool has no `timeoutMs`. Default: 60,000. `Infinity`: no limit. */
  readonly callTimeoutMs: number
  /**
   * Milliseconds for a hook to settle, and for all that run after a call together. The handler's own time does not
   * count. Default: 5,000.
   */
  readonly hookTimeoutMs: number
  /**
   * Milliseconds for a client to answer what a call asks it (2025-11-25 and older; the call's own time stands still
   * meanwhile). Default: 10 minutes.
   */
  readonly askTimeoutMs: number
  /**
   * Requests that are served at once, of all clients together. Subscriptions do not count, nor do calls from within the
   * process. Default: 1,000.
   */
  readonly maxInFlight: number
  /** Requests of one caller that are served at once. Default: no limit. */
  readonly maxInFlightPerCaller: number
  /** Bytes of one result of a tool, resource or prompt. Default: 10 MiB. */
  readonly maxResultBytes: number
  /** Bytes that wait for a client that reads slowly, before its stream is closed. Default: 512 KiB. */
  readonly maxBufferedBytes: number
  /** Modern subscriptions (`subscriptions/listen`) at once. Default: 1,024. */
  readonly maxSubscriptions: number
  /** Those of one principal, or of one connection. Default: 100. */
  readonly maxSubscriptionsPerPrincipal: number
  /** Tasks that are kept at once, running and ended. When there is no room, `required` tools are refused. Default: 1,000. */
  readonly maxTasks: number
  /** Tasks of one principal that are kept at once. Default: 100. */
  readonly maxTasksPerPrincipal: number
  /** Bytes of the results and answers of all tasks. Default: 256 MiB. */
  readonly maxTaskBytes: number
  /** Milliseconds from its creation on for which a task is kept, and may run. Default: 1 hour. */
  readonly taskTtlMs: number
  /** Skills. Default: 1,000. */
  readonly maxSkills: number
  /** Bytes of the files of all skills, which are kept in memory. Default: 64 MiB. */
  readonly maxSkillBytes: number
  /** Legacy HTTP sessions at once. Default: 10,000. */
  readonly maxSessions: number
  /** Milliseconds after which an unused legacy session is forgotten. Default: 30 minutes. */
  readonly sessionIdleMs: number
  /** Milliseconds that a request waits for the session store or the rate limiter. Default: 1 second. */
  readonly storeTimeoutMs: number
  /** Events that are kept for each legacy session, for a client that comes back after a break. Default: 10,000. */
  readonly maxStoredEvents: number
  /** Bytes of them. The newest one is kept whatever its size. Default: 1 MiB. */
  readonly maxStoredBytes: number
  /** Bytes of the events of all sessions together. Default: 128 MiB. */
  readonly maxTotalStoredBytes: number
  /** Milliseconds for which an event is kept. Default: 10 minutes. */
  readonly storedEventMs: number
}

/** The limits of a server whose options say nothing else. */
export const defaultLimits: Limits = Object.freeze({
  maxMessageBytes: 4 * 1024 * 1024,
  maxDepth: 64,
  maxKeys: 10_000,
  maxItems: 50_000,
  maxBatch: 100,
  callTimeoutMs: 60_000,
  hookTimeoutMs: 5_000,
  askTimeoutMs: 10 * 60_000,
  maxInFlight: 1000,
  maxInFlightPerCaller: Infinity,
  maxResultBytes: 10 * 1024 * 1024,
  maxBufferedBytes: 512 * 1024,
  maxSubscriptions: 1024,
  maxSubscriptionsPerPrincipal: 100,
  maxTasks: 1000,
  maxTasksPerPrincipal: 100,
  maxTaskBytes: 256 * 1024 * 1024,
  taskTtlMs: 60 * 60_000,
  maxSkills: 1000,
  maxSkillBytes: 64 * 1024 * 1024,
  maxSessions: 10_000,
  sessionIdleMs: 30 * 60_000,
  storeTimeoutMs: 1000,
  maxStoredEvents: 10_000,
  maxStoredBytes: 1024 * 1024,
  maxTotalStoredBytes: 128 * 1024 * 1024,
  storedEventMs: 10 * 60_000,
})
