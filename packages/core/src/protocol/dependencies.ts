import type { Logger } from 'pino'
import type { Catalog } from '../catalog/catalog.js'
import type { ChangeBus, Changes } from '../context/changes.js'
import type { ToolListFormat } from '../formats/tool-list-formats.js'
import type { Counter } from '../limits/counter.js'
import type { Limits } from '../limits/limits.js'
import type { Icon } from '../metadata/types.js'
import type { Plans } from '../plan/plans.js'
import type { JsonBounds } from '../rpc/parse-json.js'
import type { Tasks } from '../tasks/tasks.js'
import type { Extension } from './extensions/extension.js'
import type { OpenSubscriptions } from './modern/open-subscriptions.js'
import type { RequestStateOptions } from './modern/request-state.js'
import type { ClientRequestCounters } from './pending-client-requests.js'

/** How the server introduces itself. */
export interface ServerIdentity {
  /** The server's name, for programs. */
  readonly name: string
  /** The server's own version, such as `1.0.0`. */
  readonly version: string
  /** For people, where the name is for programs. */
  readonly title?: string | undefined
  /** What the server is for. From 2025-11-25 on, as `websiteUrl` and `icons`. */
  readonly description?: string | undefined
  /** The `https:` URL where people read about it. */
  readonly websiteUrl?: string | undefined
  /** Pictures for it. */
  readonly icons?: readonly Icon[] | undefined
}

/** What clients hear about lists that they keep (from 2026-07-28 on). */
export interface CacheHints {
  /** Milliseconds for which a client may keep a list. */
  readonly ttlMs: number
  /** `public`: a shared cache may hand it to anybody. */
  readonly cacheScope: 'public' | 'private'
}

/** What the eras serve from: all of it fixed at boot, except for what the catalog holds. */
export interface ProtocolDependencies {
  readonly identity: ServerIdentity
  readonly instructions: string | undefined
  readonly catalog: Catalog
  readonly plans: Plans
  readonly pageSize: number
  readonly cache: CacheHints
  readonly changes: Changes
  readonly changeBus: ChangeBus
  readonly tasks: Tasks
  readonly maxResultBytes: number
  /** Results over their limit. */
  readonly oversizedResults: Counter
  /** What arguments may hold that come from within the process. */
  readonly jsonBounds: JsonBounds
  /** Extensions of the application's own. */
  readonly extensions: readonly Extension[]
  readonly limits: Pick<Limits, 'callTimeoutMs'>
  /** Served as `tools/list/NAME`. */
  readonly listFormats: Readonly<Record<string, ToolListFormat>>
  /** Milliseconds for a legacy client to answer a question. */
  readonly clientRequestTimeoutMs: number
  /** What legacy clients are asked. */
  readonly clientRequests: ClientRequestCounters
  readonly requestState: RequestStateOptions
  readonly subscriptions: OpenSubscriptions
  readonly exposeErrors: boolean
  readonly notifyChanges: boolean
  readonly alwaysStructuredContent: boolean
  readonly alwaysNextCursor: boolean
  readonly log: Logger
}
