import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.js'
import type { ChangeBus, Changes } from '../context/changes.js'
import type { Counter } from '../limits/counter.js'
import type { Limits } from '../limits/limits.js'
import type { Icon } from '../metadata/types.js'
import type { Plans } from '../plan/plans.js'
import type { JsonBounds } from '../rpc/parse-json.js'
import type { ClientRequestCounters } from './client-requests/pending-client-requests.js'
import type { Extensions } from './extensions/extensions.js'
import type { Sessions } from './legacy/session.js'
import type { OpenSubscriptions } from './modern/open-subscriptions.js'
import type { RequestStateOptions } from './modern/request-state.js'
import type { Rounds } from './modern/rounds.js'
import type { OfferedRevisions } from './revisions.js'

/** Name, version and description of the server, as sent to clients. */
export interface ServerIdentity {
  /** Programmatic name of the server. */
  readonly name: string
  /** Version of the server itself, such as `1.0.0`. */
  readonly version: string
  /** Display name of the server. */
  readonly title?: string | undefined
  /** Description of the server. Sent from 2025-11-25 on, like `websiteUrl` and `icons`. */
  readonly description?: string | undefined
  /** The `https:` URL of the server's website. */
  readonly websiteUrl?: string | undefined
  readonly icons?: readonly Icon[] | undefined
}

/** Cache hints for lists (from 2026-07-28 on). */
export interface CacheHints {
  /** Maximum time in milliseconds for which clients can cache a list. */
  readonly ttlMs: number
  /**
   * `public`: shared caches can serve a list to other users. `private`: only the client's own cache is allowed to store a list.
   */
  readonly cacheScope: 'public' | 'private'
}

export interface ProtocolDependencies {
  readonly identity: ServerIdentity
  readonly revisions: OfferedRevisions
  readonly instructions: string | undefined
  readonly catalog: Catalog
  readonly plans: Plans
  readonly pageSize: number
  readonly cache: CacheHints
  readonly changes: Changes
  readonly changeBus: ChangeBus
  readonly maxResultBytes: number
  readonly oversizedResults: Counter
  readonly jsonBounds: JsonBounds
  readonly extensions: Extensions
  /** `null`: the server has no sessions. */
  readonly sessions: Sessions | null
  readonly limits: Pick<Limits, 'callTimeoutMs'>
  readonly clientRequestTimeoutMs: number
  readonly clientRequests: ClientRequestCounters
  readonly requestState: RequestStateOptions
  readonly rounds: Rounds
  readonly subscriptions: OpenSubscriptions
  readonly exposeErrors: boolean
  readonly notifyChanges: boolean
  readonly alwaysStructuredContent: boolean
  readonly alwaysNextCursor: boolean
  readonly listTags: boolean
  readonly log: Logger
}
