import type { FeatureKind } from './feature-call.js'

/** Counts of one feature's ended calls. */
export interface FeatureMetrics {
  readonly kind: FeatureKind
  readonly name: string
  /** Calls that ended; one that asked its client in between counts once. */
  readonly invocations: number
  readonly successes: number
  readonly failures: number
  /** From 0 to 1. */
  readonly successRate: number
  /** Milliseconds of the calls that succeeded, as the next two; 0 as long as there is none. */
  readonly averageMs: number
  readonly minMs: number
  readonly maxMs: number
  /** Failures by the name of their error, such as `ToolError` and `TimeoutError`. */
  readonly errors: Readonly<Record<string, number>>
}

/** More names than these are counted together: they come from code that makes them up. */
const maxErrorNames = 32

/** Counts the calls of one feature. */
export class FeatureCounter {
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
