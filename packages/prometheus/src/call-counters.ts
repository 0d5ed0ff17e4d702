import type { FeatureKind } from '@toolwright/core'

export class CallCounters {
  readonly #outcomes = new Map<string, number>()
  /** Calls of each bucket, not cumulative. The last bucket has the calls above all bounds. */
  readonly #buckets: number[]
  #seconds = 0

  constructor(
    readonly labels: Readonly<Record<'kind' | 'feature', string>>,
    private readonly bounds: readonly number[],
  ) {
    this.#buckets = Array<number>(bounds.length + 1).fill(0)
  }

  add(outcome: string, seconds: number): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
    let bucket = 0
    while (bucket < this.bounds.length && seconds > (this.bounds[bucket] as number)) bucket++
    ;(this.#buckets[bucket] as number)++
    this.#seconds += seconds
  }

  get outcomes(): Iterable<[outcome: string, calls: number]> {
    return this.#outcomes
  }

  get calls(): number {
    return this.#buckets.reduce((sum, calls) => sum + calls, 0)
  }

  get buckets(): readonly number[] {
    return this.#buckets
  }

  get seconds(): number {
    return this.#seconds
  }
}

/**
 * Maximum number of features that have separate counters. Further features are counted together: names that are added
 * at run time are unlimited.
 */
const maxFeatures = 1000

/** Counters of all features since the start, or since the registry was reset. */
export class FeatureCounters {
  readonly #byKind = new Map<FeatureKind, Map<string, CallCounters>>()
  #size = 0

  constructor(readonly bounds: readonly number[]) {}

  of(kind: FeatureKind, name: string): CallCounters {
    return this.#byKind.get(kind)?.get(name) ?? this.#open(kind, name)
  }

  *[Symbol.iterator](): Iterator<CallCounters> {
    for (const counters of this.#byKind.values()) yield* counters.values()
  }

  clear(): void {
    this.#byKind.clear()
    this.#size = 0
  }

  #open(kind: FeatureKind, name: string): CallCounters {
    const others = '(others)'
    if (this.#size >= maxFeatures && name !== others) return this.of(kind, others)
    const counters = this.#byKind.get(kind) ?? new Map<string, CallCounters>()
    const counter = new CallCounters({ kind, feature: name }, this.bounds)
    this.#byKind.set(kind, counters.set(name, counter))
    this.#size++
    return counter
  }
}
