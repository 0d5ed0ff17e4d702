import { tryLog } from '../errors/log-failure.js'

/** Time in milliseconds: an overload ends after this time without a rejection. */
const quietMs = 10_000

export class LogThrottle {
  isOn = false
  #latestAt = 0

  begin(log: () => void): void {
    this.#latestAt = performance.now()
    if (this.isOn) return
    this.isOn = true
    tryLog(log)
  }

  /** Whether an overload has had no rejection for 10 seconds. Accepted requests do not matter. */
  get isQuiet(): boolean {
    return this.isOn && performance.now() - this.#latestAt >= quietMs
  }

  end(log: () => void): void {
    this.isOn = false
    tryLog(log)
  }
}
