import type { ServerOptions } from '@toolwright/core'
import { logFailure } from '@toolwright/core/transport'
import { messageOf } from './without-secrets.js'

export interface Logger extends NonNullable<ServerOptions['logger']> {}

/** Reasons of one outage that the log has. */
const maxReasons = 5

/** Tells of a connection that broke, of each reason why it is not there once, and that it is there again. */
export class OutageLog {
  readonly #reasons = new Set<string>()

  /** @param purpose What the connection is for. */
  constructor(
    private readonly log: Logger,
    private readonly purpose: string,
  ) {}

  /** What it says time and again is no news. */
  failed(error: unknown, what: string): void {
    const reason = messageOf(error)
    if (this.#reasons.has(reason) || this.#reasons.size === maxReasons) return
    this.#reasons.add(reason)
    logFailure(this.log, error, {}, `the connection to Redis for ${this.purpose} ${what}`)
  }

  over(): void {
    this.#reasons.clear()
    this.log.info(`there is a connection to Redis for ${this.purpose} again`)
  }
}
