import type { Logger } from 'pino'
import { LimitError } from '../errors/limit-error.js'
import { isJsonObject } from '../rpc/messages.js'
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
  readonly #overload = new LogThrottle()

  constructor(
    /** The option `limits.maxInFlight`. */
    readonly max: number,
    private readonly log: Logger,
  ) {}

  get count(): number {
    return this.#count
  }

  /** Number of requests since the start that were rejected because too many were in flight. */
  get rejected(): number {
    return this.#rejected
  }

  /** Whether the next request is rejected. */
  get isFull(): boolean {
    return this.#count >= this.max
  }

  /**
   * Accepts a message, and counts its requests. A batch is accepted if the limit allows at least one more request.
   *
   * @returns The number of requests. Pass this number to {@link leave} when the requests are answered, or turn out to be
   * subscriptions.
   * @throws LimitError
   */
  enter(message: unknown): number {
    const requests = countRequests(message)
    if (requests === 0) return 0
    if (this.isFull) this.reject()
    this.#count += requests
    return requests
  }

  leave(requests: number): void {
    if (requests === 0) return
    this.#count -= requests
    if (this.#overload.isOn && this.#count <= this.max / 2) {
      const counts = { inFlight: this.#count, rejected: this.#rejected }
      this.#overload.end(() => this.log.info(counts, 'requests are accepted again'))
    }
    this.#checkIdle()
  }

  /**
   * Removes requests from the count, because they have begun, and another limit applies. {@link idle} waits until they are
   * passed to {@link ended}.
   */
  detach(requests: number): void {
    this.#detached += requests
    this.leave(requests)
  }

  /** Called when requests that were passed to {@link detach} are answered. */
  ended(requests: number): void {
    this.#detached -= requests
    this.#checkIdle()
  }

  /** Number of requests that {@link idle} waits for. */
  get running(): number {
    return this.#count + this.#detached
  }

  #checkIdle(): void {
    if (this.running === 0 && this.#idleListeners.length > 0) this.abandon()
  }

  /** Resolves when no request is running. */
  idle(): Promise<void> {
    if (this.running === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idleListeners.push(resolve))
  }

  /** Resolves all promises of {@link idle}, even if requests are still in flight. */
  abandon(): void {
    for (const listener of this.#idleListeners.splice(0)) listener()
  }

  reject(): never {
    this.#rejected++
    const { max, log } = this
    this.#overload.begin(() => log.warn({ maxInFlight: max }, 'requests are rejected: too many are in flight'))
    throw new LimitError('unavailable', 'The server is busy')
  }
}

/** Responses and notifications are not counted, and are always accepted: requests in flight can be waiting for them. */
function countRequests(message: unknown): number {
  if (Array.isArray(message)) return message.filter(isRequest).length
  return isRequest(message) ? 1 : 0
}

function isRequest(message: unknown): boolean {
  return isJsonObject(message) && 'id' in message && 'method' in message
}
