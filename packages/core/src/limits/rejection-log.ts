import type { Logger } from 'pino'
import { tryLog } from '../errors/log-failure.js'
import type { Counter } from './counter.js'

interface RejectionLogInit {
  /** For the log: `Tool 'search'`. */
  readonly what: string
  /** Counts the rejections of all limiters of the server. */
  readonly counter: Counter
  readonly log: Logger
}

/** Milliseconds without a rejection until the overload counts as ended. Requests may be accepted in between. */
const quietMs = 10_000

/** Counts the rejections of a limiter, and logs when they begin and end: a flood of requests must not flood the log. */
export class RejectionLog {
  #count = 0
  /** Time of the latest rejection; `null` when the overload has ended. */
  #latestAt: number | null = null

  constructor(private readonly init: RejectionLogInit) {}

  /** @param limit The limit in words. Must not contain text of a client. */
  add(limit: string): void {
    const { what, counter, log } = this.init
    counter.count++
    this.#count++
    if (this.#latestAt === null) tryLog(() => log.warn({ what, limit }, 'requests are rejected: a limit is reached'))
    this.#latestAt = performance.now()
  }

  /** Called for each accepted request. */
  endIfQuiet(): void {
    if (this.#latestAt === null || performance.now() - this.#latestAt < quietMs) return
    const { what, log } = this.init
    this.#latestAt = null
    tryLog(() => log.info({ what, rejected: this.#count }, 'requests are within their limit again'))
  }
}
