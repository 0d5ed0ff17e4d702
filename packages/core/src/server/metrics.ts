import type { RejectionObservers } from '../hooks/rejection-observers.js'
import type { Counter } from '../limits/counter.js'
import type { RequestsInFlight } from '../limits/in-flight.js'
import type { Limits } from '../limits/limits.js'
import { InMemoryRateLimiter } from '../limits/rate-limiter.js'
import type { StoreClientInit } from '../limits/store-client.js'
import type { SubscriptionQuota } from '../limits/subscription-quota.js'
import type { Gauges } from '../metrics/gauges.js'
import type { Gauged, Metric } from '../metrics/metric.js'
import type { ClientRequestCounters } from '../protocol/client-requests/pending-client-requests.js'
import { InMemoryRoundStore } from '../protocol/modern/in-memory-round-store.js'
import type { OpenSubscriptions } from '../protocol/modern/open-subscriptions.js'
import type { Rounds } from '../protocol/modern/rounds.js'
import type { Stores } from './resolve-stores.js'

type OwnMetrics = { readonly [Name in keyof typeof metrics]: ReturnType<(typeof metrics)[Name]['read']> }

/** Metrics of a server at one moment. Counters count from the start of the server. */
export interface ServerMetrics extends OwnMetrics {}

export interface CountedParts {
  readonly limits: Limits
  readonly inFlight: RequestsInFlight
  readonly subscriptions: OpenSubscriptions
  readonly subscriptionQuota: SubscriptionQuota
  readonly rounds: Rounds
  readonly rejections: RejectionObservers
  readonly stores: Stores
  readonly clientRequests: ClientRequestCounters
  readonly storeClients: StoreClientInit
  readonly rejectedCallers: RejectedCallers
  readonly limitedRequests: Counter
  readonly oversizedMessages: Counter
  readonly oversizedResults: Counter
  readonly cutStreams: Counter
  readonly partMetrics: Readonly<Record<string, Metric>>
}

export interface RejectedCallers {
  unknown: number
  rejected: number
  unchecked: number
  forbidden: number
}

function metric<Value extends Gauged | number | null>(
  name: string,
  help: string,
  read: (parts: CountedParts) => Value,
): Metric<Value, CountedParts> {
  return { name, help, read }
}

function inMemory<Store extends object>(store: object, type: abstract new (...args: never[]) => Store): Store | null {
  return store instanceof type ? store : null
}

export const metrics = {
  inFlight: metric('requests_in_flight', 'Requests being served', ({ inFlight, limits }) => ({
    value: inFlight.count,
    max: limits.maxInFlight,
  })),
  subscriptions: metric('subscriptions_open', 'Open subscriptions (subscriptions/listen)', (parts) => ({
    value: parts.subscriptions.count,
    max: parts.limits.maxSubscriptions,
  })),
  subscribedBytes: metric(
    'subscribed_bytes',
    'Bytes of the URIs that sessions and connections are subscribed to',
    ({ subscriptionQuota, limits }) => ({ value: subscriptionQuota.taken, max: limits.maxSubscribedBytes }),
  ),
  storedRounds: metric('rounds_stored', 'Stored rounds of calls with client requests', ({ stores }) => {
    const store = inMemory(stores.roundStore, InMemoryRoundStore)
    return store && { value: store.size, max: store.limits.maxRounds }
  }),
  storedRoundBytes: metric('stored_round_bytes', 'Bytes of the steps and responses of rounds', ({ stores }) => {
    const store = inMemory(stores.roundStore, InMemoryRoundStore)
    return store && { value: store.bytes, max: store.limits.maxRoundBytes }
  }),
  trackedCallers: metric(
    'callers_tracked',
    'Callers tracked by the fullest rate limit',
    ({ stores }) => inMemory(stores.rateLimiter, InMemoryRateLimiter)?.callers ?? null,
  ),
  observedRejections: metric('rejections_observed', 'Rejected calls that hooks are observing', (parts) => ({
    value: parts.rejections.running,
    max: parts.limits.maxInFlight,
  })),
  pendingClientRequests: metric(
    'client_requests_pending',
    'Requests to clients that are not answered yet',
    ({ clientRequests }) => clientRequests.pending,
  ),
  rejectedRequests: metric(
    'requests_rejected_total',
    'Requests rejected because too many were in flight',
    ({ inFlight }) => inFlight.rejected,
  ),
  limitedRequests: metric(
    'requests_limited_total',
    'Requests rejected by a limit of their tool or caller',
    ({ limitedRequests }) => limitedRequests.count,
  ),
  sharedBudgetRequests: metric(
    'requests_of_shared_budget_total',
    'Requests counted against the limit that untracked callers share',
    ({ stores }) => inMemory(stores.rateLimiter, InMemoryRateLimiter)?.sharing ?? 0,
  ),
  unknownCallers: metric(
    'requests_unknown_total',
    'Requests rejected because they have no credentials',
    ({ rejectedCallers }) => rejectedCallers.unknown,
  ),
  rejectedCredentials: metric(
    'credentials_rejected_total',
    'Requests rejected because of invalid credentials',
    ({ rejectedCallers }) => rejectedCallers.rejected,
  ),
  uncheckedCredentials: metric(
    'credentials_unchecked_total',
    'Requests rejected because their credentials could not be checked',
    ({ rejectedCallers }) => rejectedCallers.unchecked,
  ),
  forbiddenCallers: metric(
    'requests_forbidden_total',
    'Requests rejected because their authenticated caller may not use the server',
    ({ rejectedCallers }) => rejectedCallers.forbidden,
  ),
  oversizedMessages: metric(
    'messages_oversized_total',
    'Messages rejected because of their bytes, depth, keys, items or batch size',
    ({ oversizedMessages }) => oversizedMessages.count,
  ),
  oversizedResults: metric(
    'results_oversized_total',
    'Results over maxResultBytes, which were not sent',
    ({ oversizedResults }) => oversizedResults.count,
  ),
  cutStreams: metric(
    'streams_cut_total',
    'Streams and connections closed, and responses dropped, because their client read too slowly or not at all',
    ({ cutStreams }) => cutStreams.count,
  ),
  unobservedRejections: metric(
    'rejections_unobserved_total',
    'Rejected calls that hooks did not observe because they were busy',
    ({ rejections }) => rejections.unobserved,
  ),
  rejectedSubscriptions: metric(
    'subscriptions_rejected_total',
    'Subscriptions rejected by a limit of the server or of their caller',
    ({ subscriptions, subscriptionQuota }) => subscriptions.rejected + subscriptionQuota.rejected,
  ),
  repeatedRounds: metric(
    'rounds_repeated_total',
    'Repeated rounds that were answered with a stored response',
    ({ rounds }) => rounds.repeated,
  ),
  rejectedRounds: metric(
    'rounds_rejected_total',
    'Rounds, steps and responses of rounds that exceeded a limit',
    ({ rounds }) => rounds.rejected,
  ),
  rejectedClientRequests: metric(
    'client_requests_rejected_total',
    'Requests to clients that were not sent because 100 were pending',
    ({ clientRequests }) => clientRequests.rejected,
  ),
  storeFailures: metric(
    'store_failures_total',
    'Failures and timeouts of stores and rate limiters of the application',
    ({ storeClients }) => storeClients.failures.count,
  ),
}

export function readMetrics(parts: CountedParts): ServerMetrics {
  const values = Object.entries({ ...metrics, ...parts.partMetrics }).map(([key, { read }]) => [key, read(parts)])
  return Object.fromEntries(values) as ServerMetrics
}

export function publishMetrics(gauges: Gauges, parts: CountedParts): void {
  for (const { name, help, read } of Object.values({ ...metrics, ...parts.partMetrics })) {
    const now: Gauged | number | null = read(parts)
    if (now === null) continue
    const kind = name.endsWith('_total') ? 'counter' : 'gauge'
    if (typeof now === 'number') gauges.add({ name, help, kind, read: () => read(parts) as number })
    else gauges.add({ name, help, max: now.max, read: () => (read(parts) as Gauged).value })
  }
}
