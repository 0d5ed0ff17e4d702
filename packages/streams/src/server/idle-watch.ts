import { startLongTimer } from '@toolwright/core/host'

export class IdleWatch {
  /** Time of the last activity of the client, or the time from which the server waits for it. */
  #since = performance.now()
  #timer: NodeJS.Timeout | undefined

  /**
   * @param idleMs Milliseconds of silence; `Infinity` for no limit.
   * @param isWaiting Whether the server waits for the client now.
   */
  constructor(
    private readonly idleMs: number,
    private readonly isWaiting: () => boolean,
    private readonly onIdle: () => void,
  ) {}

  start(): void {
    if (this.idleMs !== Infinity) this.#checkIn(this.idleMs)
  }

  touch(): void {
    this.#since = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #checkIn(milliseconds: number): void {
    this.#timer = startLongTimer(() => this.#check(), milliseconds)
  }

  #check(): void {
    const silentMs = this.isWaiting() ? performance.now() - this.#since : 0
    if (silentMs >= this.idleMs) this.onIdle()
    else this.#checkIn(this.idleMs - silentMs)
  }
}
