/** A figure about a server that can be read at any time. */
export interface Gauge {
  /** In snake_case, such as `sessions_open`; a counter's ends with `_total`. */
  readonly name: string
  /** One line for people. */
  readonly help: string
  /** `counter`: it only grows. Default: `gauge`. */
  readonly kind?: 'gauge' | 'counter'
  read(): number
}

/** The figures of one server: whoever has one adds it, whoever publishes metrics reads them all. */
export class Gauges {
  readonly #gauges = new Map<string, Gauge>()
  readonly #shared = new Map<string, Set<Gauge>>()

  /** @throws Error for a name that is taken, or is none. */
  add(gauge: Gauge): void {
    const { name } = gauge
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`the gauge '${name}' needs a name in snake_case`)
    if (this.#gauges.has(name)) throw new Error(`there is a gauge '${name}' already`)
    this.#gauges.set(name, gauge)
  }

  /**
   * Adds to a figure that several parts have: what is published is the sum of those that were added under one name. One
   * that is there already changes nothing.
   *
   * @throws Error as {@link add} does, where the name is that of a single gauge.
   */
  share(gauge: Gauge): void {
    const { name, help, kind = 'gauge' } = gauge
    const parts = this.#shared.get(name) ?? new Set()
    if (parts.size === 0) this.add({ name, help, kind, read: () => sumOf(parts) })
    this.#shared.set(name, parts.add(gauge))
  }

  /** In the order in which they were added. */
  get all(): readonly Gauge[] {
    return [...this.#gauges.values()]
  }
}

function sumOf(gauges: Iterable<Gauge>): number {
  let sum = 0
  for (const gauge of gauges) sum += gauge.read()
  return sum
}
