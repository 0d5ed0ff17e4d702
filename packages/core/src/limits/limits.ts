import { adviceOn, requireNumber, requireObject } from '../check-options.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { defaultTaskLimits } from '../tasks/task-store.js'

/** How much one request, or all requests together, may take. */
export interface Limits {
  /** Bytes of one message: an HTTP body, a line on stdio. Default: 4 MiB. */
  readonly maxMessageBytes: number
  /** Levels of nested JSON. Default: 64. */
  readonly maxDepth: number
  /**
   * Keys of one message: the members of all its objects together. A key that no other object has takes as long to parse
   * as fifty numbers, and each check of the arguments costs as much again. With the defaults, one request keeps the
   * event loop busy for at most 100 ms; 100,000 keys can keep it busy for a second. Default: 10,000, or 2,500 rows of
   * four columns.
   */
  readonly maxKeys: number
  /** Items of one message: those of all its arrays together. Default: 50,000. */
  readonly maxItems: number
  /** Messages in a batch (2025-03-26 only). Default: 100. */
  readonly maxBatch: number
  /** Milliseconds for one call whose tool has no `timeoutMs`; `Infinity` for no limit. Default: 60,000. */
  readonly callTimeoutMs: number
  /**
   * Milliseconds for one hook, and for all hooks together that run after a call. The time of the handler does not
   * count. Default: 5,000.
   */
  readonly hookTimeoutMs: number
  /**
   * Milliseconds for a client of 2025-11-25 or older to answer a question of a call, whose own time stops meanwhile.
   * Default: 10 minutes.
   */
  readonly clientRequestTimeoutMs: number
  /**
   * Requests being served, of all clients together. Subscriptions and calls from within the process do not count.
   * Default: 1,000.
   */
  readonly maxInFlight: number
  /** Requests of one caller being served. Default: no limit. */
  readonly maxInFlightPerCaller: number
  /** Bytes of one result of a tool, resource or prompt. Default: 10 MiB. */
  readonly maxResultBytes: number
  /** Bytes that wait for a client that reads slowly, before its stream is closed. Default: 512 KiB. */
  readonly maxBufferedBytes: number
  /** Open subscriptions of 2026-07-28 (`subscriptions/listen`). Default: 1,024. */
  readonly maxSubscriptions: number
  /** Open subscriptions of one principal, or of one connection. Default: 100. */
  readonly maxSubscriptionsPerPrincipal: number
  /**
   * Bytes of the URIs that all sessions and connections of 2025-11-25 and older are subscribed to: their characters, and 100
   * for each. A caller gets no more than it leaves to others, which is half of it at most. Default: 64 MiB.
   */
  readonly maxSubscribedBytes: number
  /** Tasks that are kept, running and ended. When there is no room, `required` tools are refused. Default: 1,000. */
  readonly maxTasks: number
  /** Tasks of one principal that are kept. Default: 100. */
  readonly maxTasksPerPrincipal: number
  /** Bytes of the results and answers of all tasks. Default: 256 MiB. */
  readonly maxTaskBytes: number
  /** Bytes of those of one principal. Default: 128 MiB, so that one alone leaves half of them to others. */
  readonly maxTaskBytesPerPrincipal: number
  /** Milliseconds for which a task is kept and may run, from its creation on. Default: 1 hour. */
  readonly taskTtlMs: number
  /** Number of skills. Default: 1,000. */
  readonly maxSkills: number
  /** Bytes of the files of all skills, which are kept in memory. Default: 64 MiB. */
  readonly maxSkillBytes: number
  /** Open HTTP sessions of 2025-11-25 and older. Default: 10,000. */
  readonly maxSessions: number
  /** Milliseconds for which an unused session is kept. Default: 30 minutes. */
  readonly sessionIdleMs: number
  /** Milliseconds that each store, and the rate limiter, has for an answer. Default: 1 second. */
  readonly storeTimeoutMs: number
  /** Events of one session that are kept for a client that comes back. Default: 10,000. */
  readonly maxStoredEvents: number
  /** Bytes of the events of one session. The newest event is kept whatever its size. Default: 1 MiB. */
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
  clientRequestTimeoutMs: 10 * 60_000,
  maxInFlight: 1000,
  maxInFlightPerCaller: Infinity,
  maxResultBytes: 10 * 1024 * 1024,
  maxBufferedBytes: 512 * 1024,
  maxSubscriptions: 1024,
  maxSubscriptionsPerPrincipal: 100,
  maxSubscribedBytes: 64 * 1024 * 1024,
  ...defaultTaskLimits,
  maxTaskBytesPerPrincipal: 128 * 1024 * 1024,
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

/**
 * Checks what is given, and takes the rest from `defaultLimits`.
 *
 * @param option What they were given as, for messages.
 */
export function resolveLimits(option: string, given: Partial<Limits> | undefined, diagnostics: Diagnostics): Limits {
  const limits: Record<string, unknown> = { ...defaultLimits }
  for (const [limit, value] of Object.entries(requireObject(option, given, diagnostics))) {
    if (!(limit in defaultLimits)) {
      diagnostics.add('bad-option', `${option}.${limit} is not a limit. ${adviceOn(limit, Object.keys(defaultLimits))}`)
    } else if (value !== undefined) {
      requireNumber(`${option}.${limit}`, value, 1, largest(limit), diagnostics)
      limits[limit] = value
    }
  }
  return limits as unknown as Limits
}

/** Fastify takes no body that may be of any size. */
function largest(limit: string): number {
  return limit === 'maxMessageBytes' ? Number.MAX_SAFE_INTEGER : Infinity
}
