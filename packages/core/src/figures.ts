import type { Gauges } from './gauges.js'

/** How much there is of something that is bounded, and how much there may be. */
export interface Figure {
  readonly value: number
  readonly max: number
}

/** How far a server is from its limits at one moment. */
export interface Figures {
  /** Requests that are being served. */
  readonly inFlight: Figure
  /** Legacy HTTP sessions. */
  readonly sessions: Figure
  /** Modern subscriptions. */
  readonly subscriptions: Figure
  /** Tasks whose handlers run in this process. */
  readonly runningTasks: Figure
  /** Tasks that are kept, running and ended; `null` with a task store of the application's own. */
  readonly keptTasks: Figure | null
  /** Bytes of the results and answers of those; `null` in the same case. */
  readonly storedTaskBytes: Figure | null
  /** Bytes of events that are kept for clients which come back; `null` with an event store of the application's own. */
  readonly storedEventBytes: Figure | null
  /** Requests that were refused since the start because too many were in flight. */
  readonly refusedRequests: number
  /** Requests that a limit of their tool or of their caller refused since the start. */
  readonly limitedRequests: number
  /** Messages that were refused since the start because of their bytes, depth, keys or items, or as too long a batch. */
  readonly oversizedMessages: number
  /** Results that were not sent since the start because they were over `maxResultBytes`. */
  readonly oversizedResults: number
  /** Streams and connections that were cut since the start because more than `maxBufferedBytes` waited for their clients. */
  readonly cutStreams: number
  /** Refused calls that hooks were not told of since the start, because they were busy with too many others. */
  readonly unobservedRefusals: number
}

export interface Counted {
  readonly inFlight: { readonly count: number; readonly refused: number }
  readonly sessions: number
  readonly subscriptions: number
  readonly runningTasks: number
  readonly keptTasks: Figure | null
  readonly storedTaskBytes: Figure | null
  readonly storedEventBytes: number | null
  readonly limitedRequests: number
  readonly oversizedMessages: number
  readonly oversizedResults: number
  readonly cutStreams: number
  readonly unobservedRefusals: number
}

/** Those of the server's limits that figures come near. */
export interface FigureLimits {
  readonly maxInFlight: number
  readonly maxSessions: number
  readonly maxSubscriptions: number
  readonly maxTasks: number
  readonly maxTotalStoredBytes: number
}

export function readFigures(counted: Counted, limits: FigureLimits): Figures {
  const { inFlight, sessions, subscriptions, runningTasks, storedEventBytes } = counted
  return {
    inFlight: { value: inFlight.count, max: limits.maxInFlight },
    sessions: { value: sessions, max: limits.maxSessions },
    subscriptions: { value: subscriptions, max: limits.maxSubscriptions },
    runningTasks: { value: runningTasks, max: limits.maxTasks },
    keptTasks: counted.keptTasks,
    storedTaskBytes: counted.storedTaskBytes,
    storedEventBytes: storedEventBytes === null ? null : { value: storedEventBytes, max: limits.maxTotalStoredBytes },
    refusedRequests: inFlight.refused,
    limitedRequests: counted.limitedRequests,
    oversizedMessages: counted.oversizedMessages,
    oversizedResults: counted.oversizedResults,
    cutStreams: counted.cutStreams,
    unobservedRefusals: counted.unobservedRefusals,
  }
}

const published = [
  { figure: 'inFlight', name: 'requests_in_flight', help: 'Requests that are being served' },
  { figure: 'sessions', name: 'sessions_open', help: 'Sessions that are open' },
  { figure: 'subscriptions', name: 'subscriptions_open', help: 'Subscriptions (subscriptions/listen) that are open' },
  { figure: 'runningTasks', name: 'tasks_running', help: 'Tasks whose handler runs in this process' },
  { figure: 'keptTasks', name: 'tasks_kept', help: 'Tasks that are kept, running and ended' },
  { figure: 'storedTaskBytes', name: 'stored_task_bytes', help: 'Bytes of the results and answers of tasks' },
  { figure: 'storedEventBytes', name: 'stored_event_bytes', help: 'Bytes of events for clients that come back' },
] as const

const counters = [
  {
    figure: 'refusedRequests',
    name: 'requests_refused_total',
    help: 'Requests that were refused because too many were in flight',
  },
  {
    figure: 'limitedRequests',
    name: 'requests_limited_total',
    help: 'Requests that a limit of their tool or caller refused',
  },
  {
    figure: 'oversizedMessages',
    name: 'messages_oversized_total',
    help: 'Messages that were refused because they were too large',
  },
  {
    figure: 'oversizedResults',
    name: 'results_oversized_total',
    help: 'Results that were not sent because they were too large',
  },
  {
    figure: 'cutStreams',
    name: 'streams_cut_total',
    help: 'Streams that were cut because too much waited for their clients',
  },
  {
    figure: 'unobservedRefusals',
    name: 'refusals_unobserved_total',
    help: 'Refused calls that hooks were not told of because they were busy with others',
  },
] as const

/** Adds a gauge for each figure, and one for its limit: `sessions_open` and `sessions_open_max`. */
export function publishFigures(gauges: Gauges, figures: () => Figures): void {
  const now = figures()
  for (const { figure, name, help } of published) {
    const limit = now[figure]?.max
    if (limit === undefined) continue
    gauges.add({ name, help, read: () => figures()[figure]?.value ?? 0 })
    gauges.add({ name: `${name}_max`, help: `${help}, at most`, read: () => limit })
  }
  for (const { figure, name, help } of counters)
    gauges.add({ name, help, kind: 'counter', read: () => figures()[figure] })
}
