interface Entry<Value> {
  readonly value: Value
  /** Milliseconds since the epoch. */
  readonly endsAt: number
  readonly bytes: number
}

interface ExpiringMapLimits {
  readonly maxEntries: number
  readonly maxBytes: number
}

/**
 * Map with expiring entries, limited in number and bytes. When a limit is reached, the oldest entries are removed. Uses
 * the wall clock, as tokens do, because a monotonic clock stops while a machine sleeps.
 */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>()
  #bytes = 0

  constructor(private readonly limits: ExpiringMapLimits) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.endsAt > Date.now()) return entry.value
    this.delete(key)
    return undefined
  }

  set(key: string, value: Value, endsAt: number, bytes = 0): void {
    this.delete(key)
    if (endsAt <= Date.now()) return
    this.#entries.set(key, { value, endsAt, bytes })
    this.#bytes += bytes
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.limits.maxEntries && this.#bytes <= this.limits.maxBytes) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }

  get size(): number {
    this.#deleteExpired()
    return this.#entries.size
  }

  get bytes(): number {
    this.#deleteExpired()
    return this.#bytes
  }

  #deleteExpired(): void {
    const now = Date.now()
    for (const [key, { endsAt }] of this.#entries) {
      if (endsAt > now) return
      this.delete(key)
    }
  }
}
