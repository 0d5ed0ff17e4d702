import type { Logger } from 'pino'
import type { RuleBookOptions } from './catalog/rules/rule-book.js'
import type { DependencyContainer } from './container/tsyringe.js'
import type { ChangeBus } from './context/changes.js'
import type { ToolListFormat } from './formats/tool-list-formats.js'
import type { HookReference } from './hooks/call-hook.js'
import type { Limits } from './limits/limits.js'
import type { RateLimit, RateLimiter } from './limits/rate-limiter.js'
import type { Class } from './metadata/types.js'
import type { EventStore } from './protocol/legacy/event-store.js'
import type { SessionStore } from './protocol/legacy/session-store.js'
import type { RequestStateOptions } from './protocol/modern/request-state.js'
import type { CacheHints, ServerIdentity } from './protocol/served.js'
import type { TaskBus } from './tasks/task-bus.js'
import type { TaskStore } from './tasks/task-store.js'

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly identity: ServerIdentity
  readonly instructions: string | undefined
  readonly scan: readonly (URL | string)[]
  readonly skills: readonly (URL | string)[]
  readonly controllers: readonly Class[]
  readonly container: DependencyContainer | undefined
  readonly hooks: readonly HookReference[]
  readonly onClose: (() => void | Promise<void>) | undefined
  readonly log: Logger
  readonly limits: Limits
  readonly rateLimit: RateLimit | null
  readonly rateLimiter: RateLimiter
  readonly sessionStore: SessionStore
  readonly eventStore: EventStore
  readonly changeBus: ChangeBus
  readonly pageSize: number
  readonly listFormats: Readonly<Record<string, ToolListFormat>>
  readonly cache: CacheHints
  readonly requestState: RequestStateOptions
  readonly taskStore: TaskStore
  readonly taskBus: TaskBus
  /** `undefined`: not given. */
  readonly authorization: RuleBookOptions | undefined
  readonly exposeErrors: boolean
  readonly alwaysStructuredContent: boolean
  readonly alwaysNextCursor: boolean
}
