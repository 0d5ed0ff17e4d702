import type { RefusalObservers } from '../hooks/refusal-observers.js'
import type { Counter } from '../limits/counter.js'
import type { RequestsInFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import { InMemoryRateLimiter, type RateLimiter } from '../limits/rate-limiter.js'
import type { StoreClientInit } from '../limits/store-client.js'
import type { SubscriptionQuota } from '../limits/subscription-quota.js'
import type { Gauges } from '../metrics/gauges.js'
import type { EventStore } from '../protocol/legacy/sessions/event-store.js'
import { InMemoryEventStore } from '../protocol/legacy/sessions/in-memory-event-store.js'
import { InMemorySessionStore } from '../protocol/legacy/sessions/in-memory-session-store.js'
import type { SessionStore } from '../protocol/legacy/sessions/session-store.js'
import type { Sessions } from '../protocol/legacy/sessions/sessions.js'
import type { OpenSubscriptions } from '../protocol/modern/open-subscriptions.js'
import type { ClientRequestCounters } from '../protocol/pending-client-requests.js'
import { InMemoryTaskStore, type TaskStore } from '../tasks/task-store.js'
import type { Tasks } from '../tasks/tasks.js'

/** How much there is of something that is bounded, and how much there may be. */
export interface Gauged {
  readonly value: number
  readonly max: number
}

/** How far a server is from its limits at one moment, and what went beyond them since its start. */
export interface ServerMetrics extends ServerCounters {
  /** Requests that are being served. */
  readonly inFlight: Gauged
  /** Legacy HTTP sessions. */
  readonly sessions: Gauged
  /** Modern subscriptions. */
  readonly subscriptions: Gauged
  /** Bytes of the URIs that legacy sessions and connections are subscribed to. */
  readonly subscribedBytes: Gauged
  /** Tasks whose handlers run in this process. */
  readonly runningTasks: Gauged
  /** Tasks that are kept, running and ended; `null` with a task store of the application's own. */
  readonly keptTasks: Gauged | null
  /** Bytes of the results and answers of those; `null` in the same case. */
  readonly storedTaskBytes: Gauged | null
  /** Bytes of events that are kept for clients which come back; `null` with an event store of the application's own. */
  readonly storedEventBytes: Gauged | null
  /** Callers that the fullest rate limit tells apart; `null` with a rate limiter of the application's own. */
  readonly trackedCallers: Gauged | null
  /** Refused calls that hooks are being told of. */
  readonly observedRefusals: Gauged
  /** Questions that legacy clients have not answered. Each may have 100. */
  readonly pendingClientRequests: number
}

/** What was counted since the start of a server. */
export interface ServerCounters {
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
  readonly rejectedClientRequests: number
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
  readonly subscriptionQuota: SubscriptionQuota
  readonly tasks: Tasks
  readonly refusals: RefusalObservers
  readonly stores: Stores
  readonly clientRequests: ClientRequestCounters
  readonly storeClients: StoreClientInit
  readonly refusedCallers: RejectedCallers
  /** Requests that limits of their tools or callers refused. */
  readonly limitedRequests: Counter
  readonly oversizedMessages: Counter
  readonly oversizedResults: Counter
  readonly cutStreams: Counter
}

/** What became of callers who were refused, since the start. */
export interface RejectedCallers {
  /** Without credentials. */
  unknown: number
  /** With bad ones. */
  refused: number
  /** With such as could not be checked. */
  unchecked: number
  /** Who are known, and may not. */
  forbidden: number
}

export function readMetrics(parts: CountedParts): ServerMetrics {
  const { limits, stores } = parts
  const { taskStore: store, eventStore: events, rateLimiter: limiter } = stores
  const tasks = store instanceof InMemoryTaskStore ? store : null
  return {
    inFlight: { value: parts.inFlight.count, max: limits.maxInFlight },
    sessions: { value: parts.sessions.size, max: limits.maxSessions },
    subscriptions: { value: parts.subscriptions.count, max: limits.maxSubscriptions },
    subscribedBytes: { value: parts.subscriptionQuota.taken, max: limits.maxSubscribedBytes },
    runningTasks: { value: parts.tasks.running, max: limits.maxTasks },
    keptTasks: tasks && { value: tasks.size, max: tasks.limits.maxTasks },
    storedTaskBytes: tasks && { value: tasks.bytes, max: tasks.limits.maxTaskBytes },
    storedEventBytes:
      events instanceof InMemoryEventStore ? { value: events.bytes, max: limits.maxTotalStoredBytes } : null,
    trackedCallers: limiter instanceof InMemoryRateLimiter ? limiter.callers : null,
    observedRefusals: { value: parts.refusals.running, max: limits.maxInFlight },
    pendingClientRequests: parts.clientRequests.pending,
    ...readCounts(parts),
  }
}

function readCounts(parts: CountedParts): ServerCounters {
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
    refusedSubscriptions: parts.subscriptions.refused + parts.subscriptionQuota.refused,
    refusedTasks: parts.tasks.refused,
    displacedEvents: events instanceof InMemoryEventStore ? events.displaced : 0,
    rejectedClientRequests: parts.clientRequests.refused,
    storeFailures: parts.storeClients.failures.count,
  }
}

const bounded = [
  { metric: 'inFlight', name: 'requests_in_flight', help: 'Requests that are being served' },
  { metric: 'sessions', name: 'sessions_open', help: 'Sessions that are open' },
  { metric: 'subscriptions', name: 'subscriptions_open', help: 'Subscriptions (subscriptions/listen) that are open' },
  {
    metric: 'subscribedBytes',
    name: 'subscribed_bytes',
    help: 'Bytes of the URIs that sessions and connections are subscribed to',
  },
  { metric: 'runningTasks', name: 'tasks_running', help: 'Tasks whose handler runs in this process' },
  { metric: 'keptTasks', name: 'tasks_kept', help: 'Tasks that are kept, running and ended' },
  { metric: 'storedTaskBytes', name: 'stored_task_bytes', help: 'Bytes of the results and answers of tasks' },
  { metric: 'storedEventBytes', name: 'stored_event_bytes', help: 'Bytes of events for clients that come back' },
  { metric: 'trackedCallers', name: 'callers_counted', help: 'Callers that the fullest rate limit tells apart' },
  { metric: 'observedRefusals', name: 'refusals_observed', help: 'Refused calls that hooks are being told of' },
] as const

/** Names and help of what is counted, by figure. */
const counters: Readonly<Record<keyof ServerCounters, readonly [name: string, help: string]>> = {
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
  rejectedClientRequests: [
    'questions_refused_total',
    'Questions that were not asked because their client had too many',
  ],
  storeFailures: [
    'store_failures_total',
    'What stores of sessions, events, tasks and rate limits failed to do, or not in time',
  ],
}

/** Adds a gauge for each figure, and one for its limit: `sessions_open` and `sessions_open_max`. */
export function publishMetrics(gauges: Gauges, metrics: () => ServerMetrics): void {
  const now = metrics()
  for (const { metric, name, help } of bounded) {
    const max = now[metric]?.max
    if (max !== undefined) gauges.add({ name, help, max, read: () => metrics()[metric]?.value ?? 0 })
  }
  gauges.add({
    name: 'questions_pending',
    help: 'Questions that clients have not answered',
    read: () => metrics().pendingClientRequests,
  })
  for (const [metric, [name, help]] of Object.entries(counters))
    gauges.add({ name, help, kind: 'counter', read: () => metrics()[metric as keyof ServerCounters] })
}
