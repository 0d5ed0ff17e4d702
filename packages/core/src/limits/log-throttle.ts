import { tryLog } from '../errors/log-failure.js'

/** What the log is told of too much of something. */
interface LogThrottleLines {
  begins(): void
  ends(): void
}

/** Logs when there begins to be too much, and when half of the room is free again: a flood must not become a flood of lines. */
export class LogThrottle {
  /** Whether there is too much: a line has said that it begins, and none that it ended. */
  isOn = false

  constructor(
    private readonly max: number,
    private readonly log: LogThrottleLines,
  ) {}

  /** Something was refused. */
  refused(): void {
    if (this.isOn) return
    this.isOn = true
    tryLog(() => this.log.begins())
  }

  /** @param count How much there is now. */
  fellTo(count: number): void {
    if (!this.isOn || count > this.max / 2) return
    this.isOn = false
    tryLog(() => this.log.ends())
  }
}
