import type { Gauge, Gauges, McpServer } from '@toolwright/core'
import { requireNoPromise, tryLog } from '@toolwright/core/host'
import { Counter, Gauge as PrometheusGauge, type Registry } from 'prom-client'

export class GaugeExports {
  #gauges: Gauges | null = null
  #log: McpServer['log'] | null = null
  readonly #known = new Set<string>()

  constructor(
    private readonly registry: Registry,
    private readonly prefix: string,
  ) {}

  observe({ gauges, log }: Pick<McpServer, 'gauges' | 'log'>): void {
    if (this.#gauges !== null && this.#gauges !== gauges) {
      throw new Error('These metrics already belong to another server. Create a PrometheusMetrics for each server.')
    }
    this.#gauges = gauges
    this.#log = log
  }

  /** Registers the gauges that were added since the last call. */
  update(): void {
    for (const gauge of this.#gauges?.all ?? []) {
      if (this.#known.has(gauge.name)) continue
      this.#known.add(gauge.name)
      if (this.registry.getSingleMetric(this.prefix + gauge.name) === undefined) this.#register(gauge)
      else {
        const message = 'a gauge is omitted: a metric of that name exists. Rename the gauge'
        tryLog(() => this.#log?.error({ gauge: gauge.name }, message))
      }
    }
  }

  #register(gauge: Gauge): void {
    const { name, help, kind } = gauge
    const common = { name: this.prefix + name, help, registers: [this.registry] }
    if (kind === 'counter') {
      const counter: Counter = new Counter({
        ...common,
        collect: () => {
          counter.reset()
          counter.inc(Math.max(0, readSafely(gauge)))
        },
      })
    } else {
      const exported: PrometheusGauge = new PrometheusGauge({
        ...common,
        collect: () => exported.set(readSafely(gauge)),
      })
    }
  }
}

/** Returns 0 for a gauge that throws, so that the other gauges are still published. */
function readSafely(gauge: Gauge): number {
  try {
    const value: unknown = requireNoPromise(gauge.read(), gauge.name)
    return typeof value !== 'number' || Number.isNaN(value) ? 0 : value
  } catch {
    return 0
  }
}
