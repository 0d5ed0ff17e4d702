import type { Metric, MetricValueWithName, Registry } from 'prom-client'
import type { CallCounters, FeatureCounters } from './call-counters.js'

/**
 * Durations of calls, as a histogram of a registry. The histogram of prom-client checks and hashes its labels with each
 * observation, which takes 5 % of the time of a whole request. This histogram looks up the labels only once.
 */
export class CallDurations {
  readonly help = 'Duration of calls in seconds, including failed calls'
  readonly type = 'histogram'
  readonly aggregator = 'sum'

  constructor(
    readonly name: string,
    private readonly counters: FeatureCounters,
  ) {}

  /** Registers the histogram. The cast is safe, because a registry only calls `get` and `reset` of a metric. */
  registerIn(registry: Registry): void {
    registry.registerMetric(this as unknown as Metric)
  }

  async get(): Promise<object> {
    const { help, name, type, aggregator } = this
    // A feature whose calls have only asked the client for input has no durations yet.
    const ended = [...this.counters].filter(({ calls }) => calls > 0)
    const values = ended.flatMap((counter) => this.#valuesOf(counter))
    return { help, name, type, values, aggregator }
  }

  reset(): void {
    this.counters.clear()
  }

  /** Buckets are cumulative, as the format requires. */
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
