import type { ServerOptions } from '@toolwright/core'
import { logFailure, tryLog } from '@toolwright/core/host'
import { messageOf } from './without-secrets.js'

export interface Logger extends NonNullable<ServerOptions['logger']> {}

const maxReasons = 5

export class OutageLog {
  readonly #reasons = new Set<string>()

  constructor(
    private readonly log: Logger,
    private readonly purpose: string,
  ) {}

  failed(error: unknown, what: string): void {
    const reason = messageOf(error)
    if (this.#reasons.has(reason) || this.#reasons.size === maxReasons) return
    this.#reasons.add(reason)
    logFailure(this.log, error, {}, `the connection to Redis for ${this.purpose} ${what}`)
  }

  over(): void {
    this.#reasons.clear()
    tryLog(() => this.log.info(`the connection to Redis for ${this.purpose} is restored`))
  }
}
