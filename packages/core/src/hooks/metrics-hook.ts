import { printTable } from '../util/print-table.js'
import type { CallHook } from './call-hook.js'
import type { FeatureCall, FeatureKind } from './feature-call.js'
import { FeatureCounter, type FeatureMetrics } from './feature-metrics.js'

/** Maximum number of features. Further features, probably added at run time under generated names, are counted together. */
const maxFeatures = 10_000

/**
 * A hook that counts the calls, outcomes and durations of each feature. Print it with `String(metrics)`, or read
 * `snapshot()`.
 */
export class MetricsHook implements CallHook {
  readonly #counters = new Map<string, FeatureCounter>()

  onCompleted(call: FeatureCall, _result: unknown, durationMs: number): void {
    this.#counterOf(call).succeeded(durationMs)
  }

  onFailed(call: FeatureCall, error: Error): void {
    this.#counterOf(call).failed(error.name)
  }

  /** Returns the metrics of all called features, sorted by kind and name. A copy: later calls do not change it. */
  snapshot(): readonly FeatureMetrics[] {
    const keys = [...this.#counters.keys()].toSorted()
    return keys.flatMap((key) => this.#counters.get(key)?.metrics ?? [])
  }

  /** Returns the metrics of a feature; `undefined` if it was never called. */
  metricsOf(kind: FeatureKind, name: string): FeatureMetrics | undefined {
    return this.#counters.get(`${kind} ${name}`)?.metrics
  }

  /** Resets all counts to zero. */
  reset(): void {
    this.#counters.clear()
  }

  /** Formats the metrics as a table, with one line for each feature. */
  toString(): string {
    const head = ['feature', 'calls', 'successes', 'failures', 'rate', 'average', 'minimum', 'maximum', 'errors']
    return printTable([head, ...this.snapshot().map(toRow)]).join('\n')
  }

  #counterOf({ kind, name }: FeatureCall): FeatureCounter {
    const known = this.#counters.get(`${kind} ${name}`)
    if (known !== undefined) return known
    return this.#counters.size < maxFeatures ? this.#add(kind, name) : this.#others(kind)
  }

  #others(kind: FeatureKind): FeatureCounter {
    return this.#counters.get(`${kind} ${others}`) ?? this.#add(kind, others)
  }

  #add(kind: FeatureKind, name: string): FeatureCounter {
    const counter = new FeatureCounter(kind, name)
    this.#counters.set(`${kind} ${name}`, counter)
    return counter
  }
}

const others = '(others)'

function toRow(metrics: FeatureMetrics): readonly string[] {
  const { kind, name, invocations, successes, failures, successRate, averageMs, minMs, maxMs, errors } = metrics
  const counts = Object.entries(errors).map(([error, count]) => `${error} ${count}`)
  const percent = `${(successRate * 100).toFixed(1)} %`
  const times = [averageMs, minMs, maxMs].map((duration) => `${duration.toFixed(2)} ms`)
  return [`${kind} ${name}`, ...[invocations, successes, failures].map(String), percent, ...times, counts.join(', ')]
}
