/**
 * Callers sorted by usage, largest first. `set` takes time proportional to the change of the amount, so amounts must be small
 * integers.
 */
export class CallerUsage {
  readonly #amounts = new Map<string, number>()
  /** Names of callers, by the amount that they use. Names with the same amount are in the order in which they were set. */
  readonly #names = new Map<number, Set<string>>()
  #most = 0

  set(name: string, amount: number): void {
    this.#remove(name)
    if (amount > 0) this.#add(name, amount)
    while (this.#most > 0 && !this.#names.has(this.#most)) this.#most--
  }

  *[Symbol.iterator](): Generator<string> {
    for (let amount = this.#most; amount > 0; amount--) {
      const names = this.#names.get(amount)
      if (names !== undefined) yield* names
    }
  }

  #add(name: string, amount: number): void {
    const names = this.#names.get(amount) ?? new Set()
    this.#names.set(amount, names.add(name))
    this.#amounts.set(name, amount)
    this.#most = Math.max(this.#most, amount)
  }

  #remove(name: string): void {
    const amount = this.#amounts.get(name)
    if (amount === undefined) return
    this.#amounts.delete(name)
    const names = this.#names.get(amount)
    names?.delete(name)
    if (names?.size === 0) this.#names.delete(amount)
  }
}
