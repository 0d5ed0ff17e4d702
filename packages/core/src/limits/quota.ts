export class Quota<Caller = string> {
  #taken = 0
  readonly #byCaller = new Map<Caller, number>()

  /**
   * @param max Maximum number of units of all callers together.
   * @param maxPerCaller Maximum number of units of one caller. For the caller `null`, only `max` applies.
   */
  constructor(
    readonly max: number,
    private readonly maxPerCaller = Infinity,
  ) {}

  get taken(): number {
    return this.#taken
  }

  takenBy(caller: Caller | null): number {
    return caller === null ? 0 : (this.#byCaller.get(caller) ?? 0)
  }

  allows(caller: Caller | null, more = 1): boolean {
    return this.#taken + more <= this.max && this.takenBy(caller) + more <= this.maxPerCaller
  }

  /** Whether a caller is allowed to take `more` units and then has at most half of the units that other callers leave. */
  allowsShare(caller: Caller | null, more = 1): boolean {
    return this.takenBy(caller) + more <= this.max - this.#taken - more
  }

  take(caller: Caller | null, units = 1): void {
    this.#taken += units
    if (caller === null) return
    const taken = this.takenBy(caller) + units
    if (taken === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, taken)
  }
}
