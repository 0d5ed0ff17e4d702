import type { CallHook, FeatureCall, McpServer } from '@toolwright/core'
import { failureKindOf } from '@toolwright/core'
import { isHiddenRefusal } from '@toolwright/core/internal'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { CallTallies } from './call-counters.js'
import { CallDurations } from './call-durations.js'
import { exposureOf } from './exposure.js'
import { GaugeExports } from './gauge-exports.js'
import { type PrometheusOptions, readPrometheusOptions } from './options.js'

/** A guess at the name of a hidden feature must not make that name a label: callers may read the metrics as well. */
const hiddenLabel = '(hidden)'

type Labels = 'kind' | 'feature'

/**
 * A hook that counts calls and times them for Prometheus. Labels are names of the catalog and kinds of failure: no text
 * of a client's is ever one. Calls and their durations are counted together, so they are reset together, too:
 * `registry.resetMetrics()`.
 */
export class PrometheusMetrics implements CallHook {
  /** Where the metrics are kept: the option, or a registry of its own. */
  readonly registry: Registry
  readonly #rounds: Counter<Labels>
  readonly #counters: CallTallies
  readonly #gauges: GaugeExports

  /** Counts calls for Prometheus, as a hook of a server. @throws BootError that lists every mistake in its options. */
  constructor(options: PrometheusOptions = {}) {
    const { registry = new Registry(), prefix, buckets, processMetrics } = readPrometheusOptions(options)
    const registers = [registry]
    this.registry = registry
    this.#counters = new CallTallies([...new Set(buckets)].toSorted((one, other) => one - other))
    const calls: Counter<Labels | 'outcome'> = new Counter({
      name: `${prefix}calls_total`,
      help: 'Calls of features that ended, by what became of them',
      labelNames: ['kind', 'feature', 'outcome'],
      registers,
      collect: () => this.#count(calls),
    })
    this.#rounds = new Counter({
      name: `${prefix}input_required_total`,
      help: 'Rounds of calls that ended with questions to the client',
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
    const label = isHiddenRefusal(error) ? hiddenLabel : name
    this.#counters.of(kind, label).add(failureKindOf(error), durationMs / 1000)
  }

  onInputRequired({ kind, name }: FeatureCall): void {
    this.#rounds.inc(this.#counters.of(kind, name).labels)
  }

  /** Publishes the gauges of a server as well, those that are added later included. */
  observe(server: Pick<McpServer, 'gauges' | 'log'>): void {
    this.#gauges.observe(server)
    exposureOf(this).observed(server)
  }

  /** The media type of `text()`, for the header `Content-Type`. */
  get contentType(): string {
    return this.registry.contentType
  }

  /** Everything, in the text format of Prometheus. */
  text(): Promise<string> {
    this.#gauges.update()
    return this.registry.metrics()
  }

  /** When somebody reads it: with each call it would cost more than the rest of the hook. */
  #count(calls: Counter<Labels | 'outcome'>): void {
    calls.reset()
    for (const { labels, outcomes } of this.#counters) {
      for (const [outcome, count] of outcomes) calls.inc({ ...labels, outcome }, count)
    }
  }
}
