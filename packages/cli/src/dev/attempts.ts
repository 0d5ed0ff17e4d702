import { AsyncLocalStorage } from 'node:async_hooks'
import type { HostOptions } from 'toolwright'
import type { DevMount, DevParts, DevStores } from 'toolwright/dev'
import type { ModuleRunner } from 'vite/module-runner'
import type { FileChange } from './folder-watcher.js'

export class Attempt {
  options: HostOptions | null = null
  parts: DevParts | null = null
  stores: DevStores | null = null
  mount: DevMount | null = null
  isHost = false
  hasServed = false
  hasFailed = false
  readonly startedAt = performance.now()

  constructor(
    readonly runner: ModuleRunner,
    readonly changes: readonly FileChange[],
    readonly registrations: ReadonlyMap<unknown, number>,
  ) {}

  get endpoint(): string {
    return this.mount?.endpoint ?? this.options?.path ?? '/mcp'
  }
}

/** Error that ends a program because its files changed while it was loaded. */
class Superseded extends Error {
  override readonly name = 'Superseded'
}

/** The attempts to load the program. Only the latest attempt may serve. */
export class Attempts {
  readonly #running = new AsyncLocalStorage<Attempt>()
  /** Errors that are not printed, because they were printed before or only stop an old version of the program. */
  readonly #known = new WeakSet<object>()
  #latest: Attempt | null = null

  get latest(): Attempt | null {
    return this.#latest
  }

  /** The attempt that the running code belongs to; `undefined` for code of the development server. */
  get running(): Attempt | undefined {
    return this.#running.getStore()
  }

  /**
   * Returns the attempt that the running code belongs to.
   *
   * @throws Superseded if a newer attempt has begun: the program must not serve any more.
   */
  current(): Attempt {
    const attempt = this.running ?? this.#latest
    if (attempt === null || attempt !== this.#latest) throw this.superseded()
    return attempt
  }

  async run(attempt: Attempt, load: () => Promise<unknown>): Promise<void> {
    const last = this.#latest
    this.#latest = attempt
    if (last?.hasServed === false) void last.runner.close()
    await this.#running.run(attempt, load)
  }

  superseded(): Superseded {
    const error = new Superseded('A newer version of the program is being loaded.')
    this.ignore(error)
    return error
  }

  ignore(error: object): void {
    this.#known.add(error)
  }

  /** Whether an error is known: printed before, or ignored. Marks the error as known. */
  isKnown(error: unknown): boolean {
    if (typeof error !== 'object' || error === null) return false
    const isKnown = this.#known.has(error)
    this.#known.add(error)
    return isKnown
  }
}
