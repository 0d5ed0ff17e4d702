import type { Gauges } from './gauges.js'
import type { RefusalObservers } from './hooks/refusal-observers.js'
import type { RequestsInFlight } from './limits/in-flight.js'
import type { Limits } from './limits/limits.js'
import { InMemoryRateLimiter, type RateLimiter } from './limits/rate-limiter.js'
import type { StoreGuardInit } from './limits/store-guard.js'
import type { SubscriptionRoom } from './limits/subscription-room.js'
import type { Tally } from './limits/tally.js'
import type { EventStore } from './protocol/legacy/event-store.js'
import { InMemoryEventStore } from './protocol/legacy/in-memory-event-store.js'
import { InMemorySessionStore } from './protocol/legacy/in-memory-session-store.js'
import type { SessionStore } from './protocol/legacy/session-store.js'
import type { Sessions } from './protocol/legacy/sessions.js'
import type { OpenSubscriptions } from './protocol/modern/open-subscriptions.js'
import type { QuestionTally } from './protocol/pending-questions.js'
import { InMemoryTaskStore, type TaskStore } from './tasks/task-store.js'
import type { Tasks } from './tasks/tasks.js'

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
  /** Bytes of the URIs that legacy sessions and connections are subscribed to. */
  readonly subscribedBytes: Figure
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
  /** Streams and connections that were cut because too much waited for clients that did not read. */
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
  /** How often stores of the application's own failed, or were late. Requests that needed the answer were refused. */
  readonly storeFailures: number
}

/** As they were given, or the embedded ones, which alone can tell how full they are. */
export interface Stores {
  readonly sessionStore: SessionStore
  readonly eventStore: EventStore
  readonly rateLimiter: RateLimiter
  readonly taskStore: TaskStore
}

/** The parts of a server that figures are read from. */
export interface CountedParts {
  readonly limits: Limits
  readonly inFlight: RequestsInFlight
  readonly sessions: Sessions
  readonly subscriptions: OpenSubscriptions
  readonly subscriptionRoom: SubscriptionRoom
  readonly tasks: Tasks
  readonly refusals: RefusalObservers
  readonly stores: Stores
  readonly questions: QuestionTally
  readonly storeGuards: StoreGuardInit
  readonly refusedCallers: CallerTally
  /** Requests that limits of their tools or callers refused. */
  readonly limitedRequests: Tally
  readonly oversizedMessages: Tally
  readonly oversizedResults: Tally
  readonly cutStreams: Tally
}

/** What became of callers who were refused, since the start. */
export interface CallerTally {
  /** Without credentials. */
  unknown: number
  /** With bad ones. */
  refused: number
  /** With such as could not be checked. */
  unchecked: number
  /** Who are known, and may not. */
  forbidden: number
}

export function readFigures(parts: CountedParts): Figures {
  const { limits, stores } = parts
  const { taskStore: store, eventStore: events, rateLimiter: limiter } = stores
  const tasks = store instanceof InMemoryTaskStore ? store : null
  return {
    inFlight: { value: parts.inFlight.count, max: limits.maxInFlight },
    sessions: { value: parts.sessions.size, max: limits.maxSessions },
    subscriptions: { value: parts.subscriptions.count, max: limits.maxSubscriptions },
    subscribedBytes: { value: parts.subscriptionRoom.taken, max: limits.maxSubscribedBytes },
    runningTasks: { value: parts.tasks.running, max: limits.maxTasks },
    keptTasks: tasks && { value: tasks.size, max: tasks.limits.maxTasks },
    storedTaskBytes: tasks && { value: tasks.bytes, max: tasks.limits.maxTaskBytes },
    storedEventBytes:
      events instanceof InMemoryEventStore ? { value: events.bytes, max: limits.maxTotalStoredBytes } : null,
    countedCallers: limiter instanceof InMemoryRateLimiter ? limiter.callers : null,
    observedRefusals: { value: parts.refusals.running, max: limits.maxInFlight },
    pendingQuestions: parts.questions.pending,
    ...readCounts(parts),
  }
}

function readCounts(parts: CountedParts): FigureCounts {
  const { refusedCallers: callers, stores } = parts
  const { sessionStore, eventStore: events, rateLimiter } = stores
  return {
    refusedRequests: parts.inFlight.refused,
    limitedRequests: parts.limitedRequests.count,
    sharedBudgetRequests: rateLimiter instanceof InMemoryRateLimiter ? rateLimiter.sharing : 0,
    unknownCallers: callers.unknown,
    refusedCredentials: callers.refused,
    uncheckedCredentials: callers.unchecked,
    forbiddenCallers: callers.forbidden,
    oversizedMessages: parts.oversizedMessages.count,
    oversizedResults: parts.oversizedResults.count,
    cutStreams: parts.cutStreams.count,
    unobservedRefusals: parts.refusals.unobserved,
    refusedSessions: parts.sessions.refused,
    displacedSessions: sessionStore instanceof InMemorySessionStore ? sessionStore.displaced : 0,
    refusedSubscriptions: parts.subscriptions.refused + parts.subscriptionRoom.refused,
    refusedTasks: parts.tasks.refused,
    displacedEvents: events instanceof InMemoryEventStore ? events.displaced : 0,
    refusedQuestions: parts.questions.refused,
    storeFailures: parts.storeGuards.failures.count,
  }
}

const bounded = [
  { figure: 'inFlight', name: 'requests_in_flight', help: 'Requests that are being served' },
  { figure: 'sessions', name: 'sessions_open', help: 'Sessions that are open' },
  { figure: 'subscriptions', name: 'subscriptions_open', help: 'Subscriptions (subscriptions/listen) that are open' },
  {
    figure: 'subscribedBytes',
    name: 'subscribed_bytes',
    help: 'Bytes of the URIs that sessions and connections are subscribed to',
  },
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
  cutStreams: ['streams_cut_total', 'Streams and connections that were cut because too much waited for their clients'],
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
  storeFailures: [
    'store_failures_total',
    'What stores of sessions, events, tasks and rate limits failed to do, or not in time',
  ],
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
