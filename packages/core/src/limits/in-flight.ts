import type { Logger } from 'pino'
import { LimitError } from '../errors/limit-error.js'
import { LogThrottle } from './log-throttle.js'

/** The requests that are being served, over all transports. */
export type RequestsInFlight = Pick<InFlight, 'count' | 'max' | 'rejected' | 'isFull' | 'idle'>

/**
 * Limits the number of concurrent requests, over all transports. Requests above the limit are rejected immediately, so that
 * accepted requests stay fast. Subscriptions are not counted, because they have a separate limit.
 */
export class InFlight {
  #count = 0
  #detached = 0
  #rejected = 0
  #idleListeners: (() => void)[] = []
  #isAbandoned = false
  readonly #overload = new LogThrottle()

  constructor(
    readonly max: number,
    private readonly log: Logger,
  ) {}

  get count(): number {
    return this.#count
  }

  get rejected(): number {
    return this.#rejected
  }

  get isFull(): boolean {
    return this.#count >= this.max
  }

  /**
   * Counts the requests of one message. A batch is accepted if the limit allows at least one more request.
   *
   * @throws LimitError
   */
  admit(requests: number): Admission {
    if (this.#count >= this.max) this.reject()
    this.#count += requests
    return new Admission(this, requests)
  }

  leave(requests: number): void {
    this.#count -= requests
    if (this.#overload.isOn && this.#count <= this.max / 2) {
      const counts = { inFlight: this.#count, rejected: this.#rejected }
      this.#overload.end(() => this.log.info(counts, 'requests are accepted again'))
    }
    if (this.#idleListeners.length > 0 || this.#isAbandoned) this.#checkIdle()
  }

  /** Adds requests that do not count, but that {@link idle} waits for. A negative number removes requests. */
  addDetached(requests: number): void {
    this.#detached += requests
    this.#checkIdle()
  }

  get running(): number {
    return this.#count + this.#detached
  }

  #checkIdle(): void {
    if (this.running > 0) return
    this.abandon()
    this.#isAbandoned = false
  }

  idle(): Promise<void> {
    if (this.running === 0 || this.#isAbandoned) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }

  abandon(): void {
    this.#isAbandoned = true
    for (const listener of this.#idleListeners.splice(0)) listener()
  }

  reject(): never {
    this.#rejected++
    const { max, log } = this
    this.#overload.begin(() => log.warn({ maxInFlight: max }, 'requests are rejected: too many are in flight'))
    throw new LimitError('unavailable', 'The server is busy')
  }
}

export class Admission {
  private isDetached: boolean

  constructor(
    private readonly inFlight: InFlight,
    private requests: number,
  ) {
    this.isDetached = false
  }

  /** Ends the admission, because the requests are answered, or turned out to be subscriptions. Further calls have no effect. */
  leave(): void {
    const { requests } = this
    if (requests === 0) return
    this.requests = 0
    if (this.isDetached) this.inFlight.addDetached(-requests)
    else this.inFlight.leave(requests)
  }

  /** Frees the places of the requests, because they have begun, and another limit applies. Shutdown still waits for the requests. */
  detach(): void {
    if (this.isDetached || this.requests === 0) return
    this.isDetached = true
    this.inFlight.addDetached(this.requests)
    this.inFlight.leave(this.requests)
  }
}
