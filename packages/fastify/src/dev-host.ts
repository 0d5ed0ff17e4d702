// The connection of a mounted server to `toolwright dev`.

import {
  type BootError,
  type ChangeBus,
  connectInMemory,
  container,
  defaultLimits,
  failureKindOf,
  InMemoryRateLimiter,
  InMemoryRoundStore,
  InProcessChangeBus,
  type Limits,
  type McpServer,
  type RateLimiter,
  type RoundStore,
  type ServerOptions,
} from '@toolwright/core'
import {
  type EventStore,
  InMemorySessionStore,
  InMemoryTaskStore,
  InProcessTaskBus,
  type SessionStore,
  type TaskBus,
  type TaskStore,
} from '@toolwright/server'
import { InMemoryEventStore } from '@toolwright/server/host'
import type { FastifyInstance } from 'fastify'
import type { MountOptions } from './options.js'

/** Name of the {@link DevMounts} in `globalThis`, which `toolwright dev` sets before it loads the program. */
const key = Symbol.for('toolwright.dev')

export interface DevMounts {
  /** Modules that are not evaluated yet: the entry point, which waits for the server. */
  readonly beingEvaluated: ReadonlySet<string>
  /** Loads a scanned module, even if Node itself cannot load it. */
  importModule(file: string): Promise<object>
  extendPlugin<Options extends MountOptions & ServerOptions>(options: Options, parts: DevParts): Options
  /** Listens instead of the application that mounts a plugin. */
  mount(mounted: DevMount, parts: DevParts): void
  /** Path of the inspector, for the landing page; `null` without an inspector. */
  readonly inspectorPath: string | null
  /** Prints why a server could not boot. */
  failed(error: unknown): void
}

export interface DevMount {
  readonly app: FastifyInstance
  readonly server: McpServer
  readonly endpoint: string
  readonly checkHost: (host: string) => BootError | null
}

export interface DevStores {
  readonly sessionStore: SessionStore
  readonly eventStore: EventStore
  readonly changeBus: ChangeBus
  readonly rateLimiter: RateLimiter
  readonly roundStore: RoundStore
  readonly tasks: { readonly store: TaskStore; readonly bus: TaskBus }
}

export const devParts = { connectInMemory, container, failureKindOf, createStores }

export type DevParts = typeof devParts

function createStores(given: Partial<Limits> | undefined): DevStores {
  const limits = { ...defaultLimits, ...given }
  return {
    sessionStore: new InMemorySessionStore(limits),
    eventStore: new InMemoryEventStore(limits),
    changeBus: new InProcessChangeBus(),
    rateLimiter: new InMemoryRateLimiter(),
    roundStore: new InMemoryRoundStore(limits),
    tasks: { store: new InMemoryTaskStore(limits), bus: new InProcessTaskBus() },
  }
}

export function findDevMounts(): DevMounts | undefined {
  return (globalThis as { readonly [key]?: DevMounts })[key]
}
