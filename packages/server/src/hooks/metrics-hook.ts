import type { CallHook, FeatureCall, FeatureKind } from '@toolwright/core'
import { printTable } from '../print-table.js'

/** Maximum number of features. Further features, probably with generated names, are counted together. */
const maxFeatures = 10_000

/**
 * A hook that counts the calls, outcomes and durations of each feature. Print the metrics with `String(metrics)`, or read
 * `snapshot()`.
 */
export class MetricsHook implements CallHook {
  readonly #counters = new Map<string, FeatureCounter>()

  onCompleted(call: FeatureCall, _result: unknown, durationMs: number): void {
    // The stored response of an earlier run, which was counted.
    if (call.isRepeated) return
    this.#counterOf(call).succeeded(durationMs)
  }

  onFailed(call: FeatureCall, error: Error): void {
    this.#counterOf(call).failed(error.name)
  }

  /** Returns the metrics of all called features, sorted by kind and name. The result is a copy: later calls do not change it. */
  snapshot(): readonly FeatureMetrics[] {
    const keys = [...this.#counters.keys()].toSorted()
    return keys.flatMap((key) => this.#counters.get(key)?.metrics ?? [])
  }

  /** Returns the metrics of a feature; `undefined` if the feature was never called. */
  metricsOf(kind: FeatureKind, name: string): FeatureMetrics | undefined {
    return this.#counters.get(`${kind} ${name}`)?.metrics
  }

  reset(): void {
    this.#counters.clear()
  }

  /** Formats the metrics as a table, with one line for each feature. */
  toString(): string {
    const head = ['feature', 'calls', 'successes', 'failures', 'rate', 'average', 'minimum', 'maximum', 'errors']
    return printTable([head, ...this.snapshot().map(toRow)]).join('\n')
  }

  #counterOf({ kind, name }: Pick<FeatureCall, 'kind' | 'name'>): FeatureCounter {
    const known = this.#counters.get(`${kind} ${name}`)
    if (known !== undefined) return known
    if (this.#counters.size >= maxFeatures && name !== others) return this.#counterOf({ kind, name: others })
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

/** Metrics of the ended calls of one feature. */
export interface FeatureMetrics {
  readonly kind: FeatureKind
  readonly name: string
  /** Number of ended calls. A call with several rounds is counted as one call. */
  readonly invocations: number
  readonly successes: number
  readonly failures: number
  /** Share of successful calls, from 0 to 1. */
  readonly successRate: number
  /** Average duration of successful calls in milliseconds. All three durations are 0 if no call was successful. */
  readonly averageMs: number
  readonly minMs: number
  readonly maxMs: number
  /** Number of failures by the name of the error, such as `ToolError` and `TimeoutError`. */
  readonly errors: Readonly<Record<string, number>>
}

/** Maximum number of error names. Further names, probably generated, are counted as `other`. */
const maxErrorNames = 32

class FeatureCounter {
  #successes = 0
  #failures = 0
  #totalMs = 0
  #minMs = Infinity
  #maxMs = 0
  readonly #errors = new Map<string, number>()

  constructor(
    private readonly kind: FeatureKind,
    private readonly name: string,
  ) {}

  succeeded(durationMs: number): void {
    this.#successes++
    this.#totalMs += durationMs
    this.#minMs = Math.min(this.#minMs, durationMs)
    this.#maxMs = Math.max(this.#maxMs, durationMs)
  }

  failed(errorName: string): void {
    this.#failures++
    const isKept = this.#errors.has(errorName) || this.#errors.size < maxErrorNames
    const name = isKept ? errorName : 'other'
    this.#errors.set(name, (this.#errors.get(name) ?? 0) + 1)
  }

  get metrics(): FeatureMetrics {
    const { kind, name } = this
    const successes = this.#successes
    const failures = this.#failures
    const invocations = successes + failures
    return {
      kind,
      name,
      invocations,
      successes,
      failures,
      successRate: invocations === 0 ? 0 : successes / invocations,
      averageMs: successes === 0 ? 0 : this.#totalMs / successes,
      minMs: successes === 0 ? 0 : this.#minMs,
      maxMs: this.#maxMs,
      errors: Object.fromEntries(this.#errors),
    }
  }
}
