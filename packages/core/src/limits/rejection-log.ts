import type { Logger } from 'pino'
import { tryLog } from '../errors/log-failure.js'
import type { Counter } from './counter.js'

interface RejectionLogInit {
  /** For the log: `Tool 'search'`. */
  readonly what: string
  /** Counts what all gates of the server refuse. */
  readonly counter: Counter
  readonly log: Logger
}

/** Milliseconds without a refusal, after which the limit counts as no longer reached: others may be let in meanwhile. */
const quietMs = 10_000

/** Counts what a gate refuses, and logs when that begins and ends: a flood of requests must not become a flood of lines. */
export class RejectionLog {
  #count = 0
  /** When the latest refusal was; `null` while none are going on. */
  #latestAt: number | null = null

  constructor(private readonly init: RejectionLogInit) {}

  /** @param limit In words. Nothing that a client wrote is in it. */
  add(limit: string): void {
    const { what, counter, log } = this.init
    counter.count++
    this.#count++
    if (this.#latestAt === null) tryLog(() => log.warn({ what, limit }, 'requests are refused: a limit is reached'))
    this.#latestAt = performance.now()
  }

  /** A request was let in. */
  endIfQuiet(): void {
    if (this.#latestAt === null || performance.now() - this.#latestAt < quietMs) return
    const { what, log } = this.init
    this.#latestAt = null
    tryLog(() => log.info({ what, refused: this.#count }, 'requests are within their limit again'))
  }
}
