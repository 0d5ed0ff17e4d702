import type { Metric, MetricValueWithName, Registry } from 'prom-client'
import type { CallCounters, CallTallies } from './call-counters.js'

/**
 * How long calls took, as a histogram of a registry. The one of prom-client checks and hashes its labels with each
 * observation, which is a twentieth of a whole request; this one has looked them up before.
 */
export class CallDurations {
  readonly help = 'How long calls took, those that failed included'
  readonly type = 'histogram'
  readonly aggregator = 'sum'

  constructor(
    readonly name: string,
    private readonly counters: CallTallies,
  ) {}

  /** All that a registry does with a metric is to `get` and to `reset` it. */
  registerIn(registry: Registry): void {
    registry.registerMetric(this as unknown as Metric)
  }

  async get(): Promise<object> {
    const { help, name, type, aggregator } = this
    // One that has asked its client, and never ended, has taken no time yet.
    const ended = [...this.counters].filter(({ calls }) => calls > 0)
    const values = ended.flatMap((counter) => this.#valuesOf(counter))
    return { help, name, type, values, aggregator }
  }

  reset(): void {
    this.counters.clear()
  }

  /** Each bucket holds those before it, as the format has it. */
  #valuesOf({ labels, buckets, seconds }: CallCounters): MetricValueWithName<string>[] {
    const { name } = this
    const bounds = [...this.counters.bounds, '+Inf']
    let calls = 0
    const values: MetricValueWithName<string>[] = bounds.map((le, index) => {
      calls += buckets[index] as number
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: calls }
    })
    values.push({ metricName: `${name}_sum`, labels, value: seconds })
    values.push({ metricName: `${name}_count`, labels, value: calls })
    return values
  }
}
