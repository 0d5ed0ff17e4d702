import { type ErrorLog, logFailure } from './log-failure.js'

export interface OutageLog extends ErrorLog {
  info(message: string): void
}

/** Tells of an outage in two lines, one when it begins and one when it is over: what fails meanwhile is no news. */
export class Outage {
  #hasBegun = false

  /**
   * @param what Fails: `the session store`.
   * @param then What becomes of those who need it.
   */
  constructor(
    private readonly what: string,
    private readonly then: string,
    private readonly log: OutageLog,
  ) {}

  begin(error: unknown): void {
    if (!this.#hasBegun) logFailure(this.log, error, {}, `${this.what} fails: ${this.then}`)
    this.#hasBegun = true
  }

  end(): void {
    if (this.#hasBegun) this.log.info(`${this.what} answers again`)
    this.#hasBegun = false
  }
}
