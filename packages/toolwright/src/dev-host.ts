// The connection to `toolwright dev`.

import type { EventStore } from '@toolwright/core'
import {
  BootError,
  type Caller,
  type ChangeBus,
  connectInMemory,
  container,
  defaultLimits,
  failureKindOf,
  InMemoryRateLimiter,
  InMemoryRoundStore,
  InMemorySessionStore,
  InMemoryTaskStore,
  InProcessChangeBus,
  InProcessTaskBus,
  type Limits,
  type McpServer,
  type RateLimiter,
  type RoundStore,
  type SessionStore,
  type TaskBus,
  type TaskStore,
} from '@toolwright/core'
import { describeListenError, logOutput } from '@toolwright/core/internal'
import { InMemoryEventStore } from '@toolwright/core/store'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { HostOptions } from './create-host.js'

/** Name of the {@link DevHost} in `globalThis`, which `toolwright dev` sets before it loads the program. */
const key = Symbol.for('toolwright.dev')

/**
 * Host of a program that `toolwright dev` runs. The host listens instead of the program, and replaces the program's
 * server.
 */
export interface DevHost {
  /** Whether the host serves its own standard input and output. */
  readonly isStdio: boolean
  /** Modules that are not evaluated yet: the entry point, which waits for the server. */
  readonly beingEvaluated: ReadonlySet<string>
  /** Loads a scanned module, even if Node itself cannot load it. */
  importModule(file: string): Promise<object>
  /** Adds stores that outlive the server, and a hook and a logger for the terminal. */
  extend(options: HostOptions, parts: DevParts): HostOptions
  /** Prints why a server could not boot. */
  failed(error: unknown): void
  /** Returns the address at which the host listens. */
  addressOf(wanted: FastifyListenOptions | undefined): FastifyListenOptions
  /** Serves an application in place of `app.listen`. Resolves to the URL of the application. */
  listen(app: FastifyInstance): Promise<string>
  /** Serves a server over stdio, to one caller. The promise never resolves. */
  serveStdio(server: McpServer, principal: Caller | null): Promise<never>
}

/** In-memory stores and buses. */
export interface DevStores {
  readonly sessionStore: SessionStore
  readonly eventStore: EventStore
  readonly changeBus: ChangeBus
  readonly rateLimiter: RateLimiter
  readonly roundStore: RoundStore
  readonly tasks: { readonly store: TaskStore; readonly bus: TaskBus }
}

/** Parts of this package for a {@link DevHost}, from the copy of the package that the program uses. */
export const devParts = {
  BootError,
  connectInMemory,
  container,
  describeListenError,
  failureKindOf,
  logOutput,
  createStores,
}

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

/** Finds the host of `toolwright dev`; `undefined` if the program was started otherwise. */
export function findDevHost(): DevHost | undefined {
  return (globalThis as { readonly [key]?: DevHost })[key]
}
