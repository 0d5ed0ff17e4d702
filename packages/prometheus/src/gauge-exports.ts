import type { Gauge, Gauges, McpServer } from '@toolwright/core'
import { Counter, Gauge as PrometheusGauge, type Registry } from 'prom-client'

/** The gauges of a server as metrics, read when somebody asks for them. */
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
      throw new Error('These metrics are of another server already. Make one PrometheusMetrics for each server.')
    }
    this.#gauges = gauges
    this.#log = log
  }

  /** Takes in what was added since the last time. */
  update(): void {
    for (const gauge of this.#gauges?.all ?? []) {
      if (this.#known.has(gauge.name)) continue
      this.#known.add(gauge.name)
      if (this.registry.getSingleMetric(this.prefix + gauge.name) === undefined) this.#register(gauge)
      else
        this.#log?.error({ gauge: gauge.name }, 'a gauge is left out: there is a metric of that name. Give it another')
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

/** A gauge that throws must not fail all others. */
function readSafely(gauge: Gauge): number {
  try {
    const value = gauge.read()
    return Number.isNaN(value) ? 0 : value
  } catch {
    return 0
  }
}
