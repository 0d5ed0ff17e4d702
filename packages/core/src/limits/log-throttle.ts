import { tryLog } from '../errors/log-failure.js'

/** Time in milliseconds: an overload ends after this time without a rejection. */
const quietMs = 10_000

/** Logs the start and the end of an overload, rather than each rejection. */
export class LogThrottle {
  /** Whether the start of an overload was logged, but not its end. */
  isOn = false
  #latestAt = 0

  /** Called for each rejection. */
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

  /** Logs the end of an overload. Call it only while {@link isOn}. */
  end(log: () => void): void {
    this.isOn = false
    tryLog(log)
  }
}
