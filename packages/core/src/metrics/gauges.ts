/** A figure about a server that can be read at any time. */
export interface Gauge {
  /** In snake_case, such as `sessions_open`; a counter's ends with `_total`. */
  readonly name: string
  /** One line for people. */
  readonly help: string
  /** `counter`: it only grows. Default: `gauge`. */
  readonly kind?: 'gauge' | 'counter'
  /** How much there may be. It is published beside the figure, with `_max` behind the name. Default: none is. */
  readonly max?: number
  read(): number
}

interface Level {
  readonly value: number
  readonly max: number
}

/** The figures of one server: whoever has one adds it, whoever publishes metrics reads them all. */
export class Gauges {
  readonly #gauges = new Map<string, Gauge>()
  readonly #shared = new Map<string, Set<Gauge>>()

  /** @throws Error for a name that is taken, or is none. */
  add(gauge: Gauge): void {
    this.#publish(gauge, new Set([gauge]))
  }

  /**
   * Adds to a figure that several parts have. What is published under one name is the sum of those that were added, or,
   * where they have a `max`, what the fullest of them says: an empty one must not hide it. One that is there already
   * changes nothing.
   *
   * @throws Error as {@link add} does, where the name is that of a single gauge.
   */
  share(gauge: Gauge): void {
    const parts = this.#shared.get(gauge.name) ?? new Set()
    if (parts.size === 0) this.#publish(gauge, parts)
    this.#shared.set(gauge.name, parts.add(gauge))
  }

  /** In the order in which they were added. */
  get all(): readonly Gauge[] {
    return [...this.#gauges.values()]
  }

  #publish({ name, help, kind = 'gauge', max }: Gauge, parts: ReadonlySet<Gauge>): void {
    if (max === undefined) return this.#set([{ name, help, kind, read: () => sumOf(parts) }])
    const most: Gauge = { name: `${name}_max`, help: `${help}, at most`, read: () => fullestOf(parts).max }
    this.#set([{ name, help, kind, read: () => fullestOf(parts).value }, most])
  }

  /** All of them or none. */
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
