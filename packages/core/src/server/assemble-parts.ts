import { type Catalog, enablingOf } from '../catalog/catalog.js'
import type { ScanResult } from '../catalog/scan/scan-modules.js'
import type { AppContainer } from '../container/app-container.js'
import { bindChanges, type Changes } from '../context/changes.js'
import type { RejectionObservers } from '../hooks/rejection-observers.js'
import { CallLimiter } from '../limits/call-limiter.js'
import { type Counter, OversizedMessages } from '../limits/counter.js'
import { InFlight } from '../limits/in-flight.js'
import { SubscriptionQuota } from '../limits/subscription-quota.js'
import type { Plans } from '../plan/plans.js'
import type { ClientRequestCounters } from '../protocol/client-requests/pending-client-requests.js'
import type { ProtocolDependencies } from '../protocol/dependencies.js'
import { Extensions } from '../protocol/extensions/extensions.js'
import { createLegacyEra } from '../protocol/legacy/era.js'
import { createModernEra } from '../protocol/modern/era.js'
import { OpenSubscriptions } from '../protocol/modern/open-subscriptions.js'
import { createNotification } from '../protocol/notifications/own-notifications.js'
import { readersOf } from '../protocol/notifications/visible-changes.js'
import type { Eras } from '../protocol/receive.js'
import { EnabledSharing } from './enabled-sharing.js'
import type { CountedParts, RejectedCallers } from './metrics.js'
import type { ResolvedOptions } from './resolve-options.js'
import type { Sources } from './sources/sources.js'

export interface ServerParts {
  readonly options: ResolvedOptions
  readonly catalog: Catalog
  readonly changes: Changes
  readonly plans: Plans
  readonly container: AppContainer
  readonly scan: ScanResult
  readonly sources: Sources
  readonly rejections: RejectionObservers
  readonly limitedRequests: Counter
  readonly oversizedResults: Counter
}

/** The objects that serve messages. They are not members of a server, because some of them have secrets. */
export type AssembledParts = ReturnType<typeof assembleParts>

export function assembleParts(parts: ServerParts) {
  const { options, catalog, changes, plans, rejections, limitedRequests, oversizedResults } = parts
  const { limits, log, revisions, extensions, changeBus, notifyChanges } = options
  const { maxBatch, maxResultBytes, clientRequestTimeoutMs } = limits
  const inFlight = new InFlight(limits.maxInFlight, log)
  const subscriptionQuota = new SubscriptionQuota(limits.maxSubscribedBytes)
  const sessionServer = { catalog, plans, changeBus, notifyChanges, revisions, subscriptionQuota, log }
  const sessions = options.createSessions?.(sessionServer) ?? null
  const notifying = { ...options, catalog, maxBytes: maxResultBytes, node: catalog.node }
  bindChanges(
    changes,
    (uri) => readersOf(uri, { catalog, plans }),
    (method, params, notifyOptions) => createNotification(method, params, notifyOptions, notifying),
  )
  const opened = new Extensions(extensions, catalog, log)
  opened.open()
  const subscriptions = new OpenSubscriptions(limits)
  const clientRequests: ClientRequestCounters = { pending: 0, rejected: 0 }
  const bounds = { jsonBounds: limits, maxResultBytes, clientRequestTimeoutMs, oversizedResults, clientRequests }
  const own = { extensions: opened, sessions, subscriptions, catalog, plans, changes }
  const dependencies: ProtocolDependencies = { ...options, ...bounds, ...own }
  const counters = { oversizedResults, oversizedMessages: new OversizedMessages() }
  const eras = {
    legacy: createLegacyEra(dependencies),
    modern: createModernEra(dependencies),
    revisions,
    maxBatch,
    maxResultBytes,
    sessions,
    ...counters,
    callers: createCallerLimiter(options, limitedRequests),
    extensions,
    receivers: extensions.flatMap(({ receive }) => receive ?? []),
    receivingServer: { catalog, inFlight },
  } satisfies Eras
  const cutStreams: Counter = { count: 0 }
  const rejectedCallers: RejectedCallers = { unknown: 0, rejected: 0, unchecked: 0, forbidden: 0 }
  const counts = { ...counters, clientRequests, limitedRequests, rejections, rejectedCallers, cutStreams }
  const counted = { ...options, ...counts, inFlight, subscriptions, subscriptionQuota } satisfies CountedParts
  const enabledSharing = new EnabledSharing(enablingOf(catalog), changeBus, log)
  return { parts, dependencies, eras, counted, enabledSharing }
}

function createCallerLimiter(
  { rateLimit, rateLimiter: limiter, limits, log }: ResolvedOptions,
  counter: Counter,
): CallLimiter | null {
  const { maxInFlightPerCaller: maxConcurrent } = limits
  if (rateLimit === null && maxConcurrent === Infinity) return null
  const perCaller = { ratePerCaller: true, concurrentPerCaller: true }
  return new CallLimiter({ what: 'Requests', limiter, rateLimit, maxConcurrent, ...perCaller, counter, log })
}
