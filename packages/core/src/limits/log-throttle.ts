import { tryLog } from '../errors/log-failure.js'

/** Log messages for one overload. */
interface LogThrottleLines {
  begins(): void
  ends(): void
}

/** Logs when an overload begins, and when usage has dropped to half of the limit: a flood must not flood the log. */
export class LogThrottle {
  /** Whether the begin of an overload was logged, but not its end. */
  isOn = false

  constructor(
    private readonly max: number,
    private readonly log: LogThrottleLines,
  ) {}

  /** Called for each rejection. */
  rejected(): void {
    if (this.isOn) return
    this.isOn = true
    tryLog(() => this.log.begins())
  }

  /** @param count The current usage. */
  fellTo(count: number): void {
    if (!this.isOn || count > this.max / 2) return
    this.isOn = false
    tryLog(() => this.log.ends())
  }
}
