import type { CallHook, FeatureCall, McpServer } from '@toolwright/core'
import { failureKindOf } from '@toolwright/core'
import { isHiddenRejection } from '@toolwright/core/host'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { FeatureCounters } from './call-counters.js'
import { CallDurations } from './call-durations.js'
import { exposureOf } from './exposure.js'
import { GaugeExports } from './gauge-exports.js'
import { type PrometheusOptions, readPrometheusOptions } from './options.js'

/** Label for hidden features. A guessed name must not become a label, because callers could be able to read the metrics. */
const hiddenLabel = '(hidden)'

type Labels = 'kind' | 'feature'

/**
 * Hook that counts and times calls for Prometheus. Labels are names of the catalog and kinds of failures, never strings from
 * clients. Counts and durations are reset together, by `registry.resetMetrics()`.
 */
export class PrometheusMetrics implements CallHook {
  /** Registry of the metrics: the option `registry`, or a new registry. */
  readonly registry: Registry
  readonly #rounds: Counter<Labels>
  readonly #counters: FeatureCounters
  readonly #gauges: GaugeExports

  /** @throws BootError that lists every mistake in the options. */
  constructor(options: PrometheusOptions = {}) {
    const { registry = new Registry(), prefix, buckets, processMetrics } = readPrometheusOptions(options)
    const registers = [registry]
    this.registry = registry
    this.#counters = new FeatureCounters([...new Set(buckets)].toSorted((one, other) => one - other))
    const calls: Counter<Labels | 'outcome'> = new Counter({
      name: `${prefix}calls_total`,
      help: 'Calls that have ended, by outcome',
      labelNames: ['kind', 'feature', 'outcome'],
      registers,
      collect: () => this.#count(calls),
    })
    this.#rounds = new Counter({
      name: `${prefix}input_required_total`,
      help: 'Rounds that ended because the client must provide input',
      labelNames: ['kind', 'feature'],
      registers,
    })
    new CallDurations(`${prefix}call_duration_seconds`, this.#counters).registerIn(registry)
    this.#gauges = new GaugeExports(registry, prefix)
    if (processMetrics) collectDefaultMetrics({ register: registry })
  }

  onCompleted({ kind, name }: FeatureCall, _result: unknown, durationMs: number): void {
    this.#counters.of(kind, name).add('completed', durationMs / 1000)
  }

  onFailed({ kind, name }: FeatureCall, error: Error, durationMs: number): void {
    const label = isHiddenRejection(error) ? hiddenLabel : name
    this.#counters.of(kind, label).add(failureKindOf(error), durationMs / 1000)
  }

  onInputRequired({ kind, name }: FeatureCall): void {
    this.#rounds.inc(this.#counters.of(kind, name).labels)
  }

  /** Also publishes the gauges of a server, including gauges that are added later. */
  observe(server: Pick<McpServer, 'gauges' | 'log'>): void {
    this.#gauges.observe(server)
    exposureOf(this).observed(server)
  }

  /** Media type of `text()`, for the header `Content-Type`. */
  get contentType(): string {
    return this.registry.contentType
  }

  text(): Promise<string> {
    this.#gauges.update()
    return this.registry.metrics()
  }

  /** Updates the counter on each scrape, because an update with each call would cost more than the rest of the hook. */
  #count(calls: Counter<Labels | 'outcome'>): void {
    calls.reset()
    for (const { labels, outcomes } of this.#counters) {
      for (const [outcome, count] of outcomes) calls.inc({ ...labels, outcome }, count)
    }
  }
}
