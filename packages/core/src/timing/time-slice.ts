import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of one slice. A single step can take longer. */
const sliceMs = 10

/** Divides long work into slices. Other calls, cancellations and timeouts run between two slices. */
export class TimeSlice {
  #endsAt = performance.now() + sliceMs

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Waits for the next turn of the event loop, and begins another slice. */
  async renew(): Promise<void> {
    await nextTurn()
    this.#endsAt = performance.now() + sliceMs
  }
}
