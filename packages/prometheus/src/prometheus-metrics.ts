import type { CallHook, FeatureCall, McpServer } from '@toolwright/core'
import { failureKindOf } from '@toolwright/core'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { GaugeExports } from './gauge-exports.js'

export interface PrometheusOptions {
  /** Where the metrics are kept. Default: a registry of its own. */
  readonly registry?: Registry
  /** Put before each name. Default: `mcp_`. */
  readonly prefix?: string
  /** Upper bounds of the histogram of durations, in seconds. Default: 1 ms to 60 s. */
  readonly buckets?: readonly number[]
  /** Adds those of the process and of Node: memory, CPU, event loop. Default: false. */
  readonly processMetrics?: boolean
}

const defaultBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Features that come and go at run time under ever new names share one label from here on. */
const maxFeatures = 1000

type Labels = 'kind' | 'feature'
type FeatureLabels = Readonly<Record<Labels, string>>

/** The labels of one feature, made once: each call needs two of them. */
interface KnownLabels {
  readonly feature: FeatureLabels
  readonly completed: FeatureLabels & { readonly outcome: 'completed' }
}

/**
 * A hook that counts calls and times them for Prometheus. Labels are names of the catalog and kinds of failure: no text
 * of a client's is ever one.
 */
export class PrometheusMetrics implements CallHook {
  readonly registry: Registry
  readonly #calls: Counter<Labels | 'outcome'>
  readonly #rounds: Counter<Labels>
  readonly #durations: Histogram<Labels>
  readonly #labels = new Map<string, KnownLabels>()
  readonly #gauges: GaugeExports

  constructor(options: PrometheusOptions = {}) {
    const { registry = new Registry(), prefix = 'mcp_', buckets = defaultBuckets, processMetrics = false } = options
    const registers = [registry]
    this.registry = registry
    this.#calls = new Counter({
      name: `${prefix}calls_total`,
      help: 'Calls of features that ended, by what became of them',
      labelNames: ['kind', 'feature', 'outcome'],
      registers,
    })
    this.#rounds = new Counter({
      name: `${prefix}input_required_total`,
      help: 'Rounds of calls that ended with questions to the client',
      labelNames: ['kind', 'feature'],
      registers,
    })
    this.#durations = new Histogram({
      name: `${prefix}call_duration_seconds`,
      help: 'How long calls took, those that failed included',
      labelNames: ['kind', 'feature'],
      buckets: [...buckets],
      registers,
    })
    this.#gauges = new GaugeExports(registry, prefix)
    if (processMetrics) collectDefaultMetrics({ register: registry })
  }

  onCompleted(call: FeatureCall, _result: unknown, durationMs: number): void {
    const { feature, completed } = this.#labelsOf(call)
    this.#calls.inc(completed)
    this.#durations.observe(feature, durationMs / 1000)
  }

  onFailed(call: FeatureCall, error: Error, durationMs: number): void {
    const { feature } = this.#labelsOf(call)
    this.#calls.inc({ ...feature, outcome: failureKindOf(error) })
    this.#durations.observe(feature, durationMs / 1000)
  }

  onInputRequired(call: FeatureCall): void {
    this.#rounds.inc(this.#labelsOf(call).feature)
  }

  /** Publishes the gauges of a server as well, those that are added later included. */
  observe({ gauges }: Pick<McpServer, 'gauges'>): void {
    this.#gauges.observe(gauges)
  }

  get contentType(): string {
    return this.registry.contentType
  }

  /** Everything, in the text format of Prometheus. */
  text(): Promise<string> {
    this.#gauges.update()
    return this.registry.metrics()
  }

  #labelsOf({ kind, name }: FeatureCall): KnownLabels {
    const key = `${kind} ${name}`
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    if (this.#labels.size >= maxFeatures) return toLabels(kind, '(others)')
    const labels = toLabels(kind, name)
    this.#labels.set(key, labels)
    return labels
  }
}

function toLabels(kind: string, feature: string): KnownLabels {
  return { feature: { kind, feature }, completed: { kind, feature, outcome: 'completed' } }
}
