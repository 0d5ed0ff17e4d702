import type { Logger } from 'pino'
import { LimitError } from '../errors/limit-error.js'
import { isJsonObject } from '../rpc/messages.js'
import { LogThrottle } from './log-throttle.js'

/** How many requests are being served, over all transports. */
export interface RequestsInFlight {
  readonly count: number
  /** The option `limits.maxInFlight`. */
  readonly max: number
  /** Those that were refused since the start, because there were too many. */
  readonly refused: number
  /** Whether the next one is refused. */
  readonly isFull: boolean
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>
}

/**
 * How many requests are served at once, over all transports. Beyond the cap a request is refused at once, so that those
 * that were taken end in time. Subscriptions do not count: they have a cap of their own.
 */
export class InFlight implements RequestsInFlight {
  #count = 0
  #refused = 0
  #idleListeners: (() => void)[] = []
  readonly #logThrottle: LogThrottle

  constructor(
    readonly max: number,
    log: Logger,
  ) {
    this.#logThrottle = new LogThrottle(max, {
      begins: () => log.warn({ maxInFlight: max }, 'requests are refused: too many are in flight'),
      ends: () => log.info({ inFlight: this.#count, refused: this.#refused }, 'requests are accepted again'),
    })
  }

  get count(): number {
    return this.#count
  }

  /** Since the start. */
  get refused(): number {
    return this.#refused
  }

  get isFull(): boolean {
    return this.#count >= this.max
  }

  /**
   * Takes a message, which counts for as many as it holds requests. A batch is taken where there is room for one.
   *
   * @returns How many: for {@link leave}, when they are answered or turn out to last.
   * @throws LimitError
   */
  enter(message: unknown): number {
    const requests = countRequests(message)
    if (requests === 0) return 0
    if (this.isFull) this.refuse()
    this.#count += requests
    return requests
  }

  leave(requests: number): void {
    if (requests === 0) return
    this.#count -= requests
    if (this.#logThrottle.isOn) this.#logThrottle.fellTo(this.#count)
    if (this.#count === 0 && this.#idleListeners.length > 0) this.abandon()
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }

  /** Whoever waits for {@link idle} waits no longer, whatever is still in flight. */
  abandon(): void {
    for (const listener of this.#idleListeners.splice(0)) listener()
  }

  refuse(): never {
    this.#refused++
    this.#logThrottle.refused()
    throw new LimitError('unavailable', 'The server is busy')
  }
}

/** Answers and notifications are always taken: what is in flight may wait for them. */
function countRequests(message: unknown): number {
  if (Array.isArray(message)) return message.filter(isRequest).length
  return isRequest(message) ? 1 : 0
}

function isRequest(message: unknown): boolean {
  return isJsonObject(message) && 'id' in message && 'method' in message
}
