import type { Gauges } from './gauges.js'

/** How much there is of something that is bounded, and how much there may be. */
export interface Figure {
  readonly value: number
  readonly max: number
}

/** How far a server is from its limits at one moment, and what went beyond them since its start. */
export interface Figures extends FigureCounts {
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
  /** Callers that the fullest rate limit tells apart; `null` with a rate limiter of the application's own. */
  readonly countedCallers: Figure | null
  /** Refused calls that hooks are being told of. */
  readonly observedRefusals: Figure
  /** Questions that legacy clients have not answered. Each may have 100. */
  readonly pendingQuestions: number
}

/** What was counted since the start of a server. */
export interface FigureCounts {
  /** Requests that were refused because too many were in flight. */
  readonly refusedRequests: number
  /** Requests that a limit of their tool or of their caller refused. */
  readonly limitedRequests: number
  /** Requests that a rate limit counted for the budget which callers share that it has no room to tell apart. */
  readonly sharedBudgetRequests: number
  /** Requests without credentials that were refused for it. Most clients begin with one. */
  readonly unknownCallers: number
  /** Requests that were refused because their credentials are not good. */
  readonly refusedCredentials: number
  /** Requests that were refused because nobody could tell whether their credentials are good. */
  readonly uncheckedCredentials: number
  /** Requests of callers who are known, but may not use this server. */
  readonly forbiddenCallers: number
  /** Messages that were refused because of their bytes, depth, keys or items, or as too long a batch. */
  readonly oversizedMessages: number
  /** Results that were not sent because they were over `maxResultBytes`. */
  readonly oversizedResults: number
  /** Streams and connections that were cut because more than `maxBufferedBytes` waited for their clients. */
  readonly cutStreams: number
  /** Refused calls that hooks were not told of, because they were busy with too many others. */
  readonly unobservedRefusals: number
  /** Requests for which there was no room because all sessions are in use. */
  readonly refusedSessions: number
  /** Sessions in the memory of this process that ended because others needed their room. */
  readonly displacedSessions: number
  /** Subscriptions for which there was no room, in all or for their caller. */
  readonly refusedSubscriptions: number
  /** Tasks, and results and answers of tasks, for which there was no room, in all or for their caller. */
  readonly refusedTasks: number
  /** Events in the memory of this process that went before their time, because newer ones needed the room. */
  readonly displacedEvents: number
  /** Questions that were not asked because their client had 100 to answer. */
  readonly refusedQuestions: number
}

/** As a server knows them, whose limits say how many there may be. */
export interface Counted
  extends Pick<Figures, 'keptTasks' | 'storedTaskBytes' | 'countedCallers' | 'pendingQuestions'> {
  readonly inFlight: number
  readonly sessions: number
  readonly subscriptions: number
  readonly runningTasks: number
  readonly storedEventBytes: number | null
  readonly observedRefusals: number
  readonly counts: FigureCounts
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
  const { inFlight, sessions, subscriptions, runningTasks, storedEventBytes, observedRefusals } = counted
  return {
    inFlight: { value: inFlight, max: limits.maxInFlight },
    sessions: { value: sessions, max: limits.maxSessions },
    subscriptions: { value: subscriptions, max: limits.maxSubscriptions },
    runningTasks: { value: runningTasks, max: limits.maxTasks },
    keptTasks: counted.keptTasks,
    storedTaskBytes: counted.storedTaskBytes,
    storedEventBytes: storedEventBytes === null ? null : { value: storedEventBytes, max: limits.maxTotalStoredBytes },
    countedCallers: counted.countedCallers,
    observedRefusals: { value: observedRefusals, max: limits.maxInFlight },
    pendingQuestions: counted.pendingQuestions,
    ...counted.counts,
  }
}

const bounded = [
  { figure: 'inFlight', name: 'requests_in_flight', help: 'Requests that are being served' },
  { figure: 'sessions', name: 'sessions_open', help: 'Sessions that are open' },
  { figure: 'subscriptions', name: 'subscriptions_open', help: 'Subscriptions (subscriptions/listen) that are open' },
  { figure: 'runningTasks', name: 'tasks_running', help: 'Tasks whose handler runs in this process' },
  { figure: 'keptTasks', name: 'tasks_kept', help: 'Tasks that are kept, running and ended' },
  { figure: 'storedTaskBytes', name: 'stored_task_bytes', help: 'Bytes of the results and answers of tasks' },
  { figure: 'storedEventBytes', name: 'stored_event_bytes', help: 'Bytes of events for clients that come back' },
  { figure: 'countedCallers', name: 'callers_counted', help: 'Callers that the fullest rate limit tells apart' },
  { figure: 'observedRefusals', name: 'refusals_observed', help: 'Refused calls that hooks are being told of' },
] as const

/** Names and help of what is counted, by figure. */
const counters: Readonly<Record<keyof FigureCounts, readonly [name: string, help: string]>> = {
  refusedRequests: ['requests_refused_total', 'Requests that were refused because too many were in flight'],
  limitedRequests: ['requests_limited_total', 'Requests that a limit of their tool or caller refused'],
  sharedBudgetRequests: ['requests_of_shared_budget_total', 'Requests that counted for the budget of further callers'],
  unknownCallers: ['requests_unknown_total', 'Requests without credentials that were refused for it'],
  refusedCredentials: [
    'credentials_refused_total',
    'Requests that were refused because their credentials are not good',
  ],
  uncheckedCredentials: ['credentials_unchecked_total', 'Requests whose credentials could not be checked'],
  forbiddenCallers: ['requests_forbidden_total', 'Requests of callers who may not use this server'],
  oversizedMessages: ['messages_oversized_total', 'Messages that were refused because they were too large'],
  oversizedResults: ['results_oversized_total', 'Results that were not sent because they were too large'],
  cutStreams: ['streams_cut_total', 'Streams that were cut because too much waited for their clients'],
  unobservedRefusals: [
    'refusals_unobserved_total',
    'Refused calls that hooks were not told of because they were busy with others',
  ],
  refusedSessions: ['sessions_refused_total', 'Requests for which there was no room because all sessions are in use'],
  displacedSessions: ['sessions_displaced_total', 'Sessions that ended because others needed their room'],
  refusedSubscriptions: ['subscriptions_refused_total', 'Subscriptions for which there was no room'],
  refusedTasks: ['tasks_refused_total', 'Tasks and results of tasks for which there was no room'],
  displacedEvents: ['events_displaced_total', 'Events that went before their time to make room'],
  refusedQuestions: ['questions_refused_total', 'Questions that were not asked because their client had too many'],
}

/** Adds a gauge for each figure, and one for its limit: `sessions_open` and `sessions_open_max`. */
export function publishFigures(gauges: Gauges, figures: () => Figures): void {
  const now = figures()
  for (const { figure, name, help } of bounded) {
    const max = now[figure]?.max
    if (max !== undefined) gauges.add({ name, help, max, read: () => figures()[figure]?.value ?? 0 })
  }
  gauges.add({
    name: 'questions_pending',
    help: 'Questions that clients have not answered',
    read: () => figures().pendingQuestions,
  })
  for (const [figure, [name, help]] of Object.entries(counters))
    gauges.add({ name, help, kind: 'counter', read: () => figures()[figure as keyof FigureCounts] })
}
