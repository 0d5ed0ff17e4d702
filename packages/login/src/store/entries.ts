import type { Gauge } from '@toolwright/core'

/** A stored value, and the time in milliseconds at which it expires. */
export interface Entry {
  readonly value: string
  readonly until: number
}

const sweepMs = 30_000

/** Thrown by a full store. The request gets `503`. */
export class StoreFull extends Error {
  constructor(max: number) {
    super(`the login store has ${max} entries, and none has expired`)
  }
}

export class Entries {
  readonly gauges: readonly Gauge[]
  readonly #entries = new Map<string, Entry>()
  #sweptAt = Date.now()

  /** @param max Maximum number of entries. A full store accepts no new logins. */
  constructor(private readonly max = 200_000) {
    this.gauges = [{ name: 'login_entries', help: 'Entries in the login store', max, read: () => this.#entries.size }]
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): string | null {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.until > Date.now() ? entry.value : null
  }

  set(key: string, value: string, keptMs: number): void {
    this.#makeRoom(key)
    this.#entries.set(key, { value, until: Date.now() + keptMs })
  }

  add(key: string, value: string, keptMs: number): boolean {
    if (this.get(key) !== null) return false
    this.set(key, value, keptMs)
    return true
  }

  take(key: string): string | null {
    const value = this.get(key)
    this.#entries.delete(key)
    return value
  }

  all(): IterableIterator<[string, Entry]> {
    this.#sweep()
    return this.#entries.entries()
  }

  restore(key: string, entry: Entry): void {
    if (entry.until > Date.now()) this.#entries.set(key, entry)
  }

  #makeRoom(key: string): void {
    const isFull = this.#entries.size >= this.#limitOf(key) && !this.#entries.has(key)
    if (isFull || Date.now() - this.#sweptAt > sweepMs) this.#sweep()
    if (isFull && this.#entries.size >= this.#limitOf(key)) throw new StoreFull(this.max)
  }

  /** Anyone can begin logins. They use a tenth of the store at most, so that sessions go on during a flood. */
  #limitOf(key: string): number {
    return key.startsWith('Interaction:') ? this.max / 10 : this.max
  }

  #sweep(): void {
    this.#sweptAt = Date.now()
    for (const [key, { until }] of this.#entries) {
      if (until <= this.#sweptAt) this.#entries.delete(key)
    }
  }
}
