/** A metric of a server, read on demand. */
export interface Gauge {
  /** Name in snake_case, such as `sessions_open`. Names of counters end with `_total`. */
  readonly name: string
  /** A description in one line. */
  readonly help: string
  /** `counter`: the value only increases. Default: `gauge`. */
  readonly kind?: 'gauge' | 'counter'
  /** Upper limit, published as `<name>_max`. Default: none. */
  readonly max?: number
  read(): number
}

interface Level {
  readonly value: number
  readonly max: number
}

/** The metrics of one server. Each part of the server adds its own metrics; `PrometheusMetrics` reads all of them. */
export class Gauges {
  readonly #gauges = new Map<string, Gauge>()
  readonly #shared = new Map<string, Set<Gauge>>()

  /** @throws Error for a name that is taken or invalid. */
  add(gauge: Gauge): void {
    this.#publish(gauge, new Set([gauge]))
  }

  /**
   * Adds a gauge to the gauges with the same name. Publishes the sum of these gauges or, if they have a `max`, the gauge that is
   * closest to its limit. Adding the same gauge twice has no effect.
   *
   * @throws Error as {@link add} does, or when the name belongs to a gauge that is not shared.
   */
  share(gauge: Gauge): void {
    const parts = this.#shared.get(gauge.name) ?? new Set()
    if (parts.size === 0) this.#publish(gauge, parts)
    this.#shared.set(gauge.name, parts.add(gauge))
  }

  /** All gauges, in the order in which they were added. */
  get all(): readonly Gauge[] {
    return [...this.#gauges.values()]
  }

  #publish({ name, help, kind = 'gauge', max }: Gauge, parts: ReadonlySet<Gauge>): void {
    if (max === undefined) return this.#set([{ name, help, kind, read: () => sumOf(parts) }])
    const most: Gauge = { name: `${name}_max`, help: `${help} (limit)`, read: () => fullestOf(parts).max }
    this.#set([{ name, help, kind, read: () => fullestOf(parts).value }, most])
  }

  #set(gauges: readonly Gauge[]): void {
    for (const { name } of gauges) {
      if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`the gauge '${name}' needs a name in snake_case`)
      if (this.#gauges.has(name)) throw new Error(`there is a gauge '${name}' already. Choose another name`)
    }
    for (const gauge of gauges) this.#gauges.set(gauge.name, gauge)
  }
}

function sumOf(parts: Iterable<Gauge>): number {
  let sum = 0
  for (const part of parts) sum += part.read()
  return sum
}

function fullestOf(parts: Iterable<Gauge>): Level {
  const levels = [...parts].map((part) => ({ value: part.read(), max: part.max ?? Infinity }))
  const [fullest] = levels.toSorted((a, b) => b.value / b.max - a.value / a.max || b.value - a.value)
  return fullest as Level
}
