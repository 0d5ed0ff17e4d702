export class TaskLifetime {
  #signal: AbortSignal | null = null
  /** End of the lifetime on the monotonic clock. In the store, the task expires at this time or later. */
  #endsAt = Infinity
  #timer: NodeJS.Timeout | undefined = undefined
  #hasExpired = false

  constructor(private readonly onExpired: () => void) {}

  /** @param signal Aborts when the task is cancelled. */
  begin(beganAt: number, ttlMs: number, signal: AbortSignal): void {
    this.#signal = signal
    this.#endsAt = beganAt + ttlMs
    // A timer with a longer delay would fire at once.
    if (ttlMs < 2 ** 31) this.#timer = setTimeout(() => this.#expire(), ttlMs).unref()
  }

  /** Whether the task has expired before it was cancelled. In a busy process, the timer can be late. */
  get hasEnded(): boolean {
    return this.#hasExpired || (this.#signal?.aborted === false && performance.now() >= this.#endsAt)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #expire(): void {
    this.#hasExpired = this.#signal?.aborted === false
    this.onExpired()
  }
}
