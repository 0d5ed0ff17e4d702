import { randomUUID } from 'node:crypto'
import type { EnabledDecision } from '../context/enabled-decision.js'
import type { EnabledFunction, Viewer } from '../context/viewer.js'
import { describeValue } from '../errors/describe-value.js'
import { type ErrorLog, logFailure } from '../errors/log-failure.js'
import { requireNoPromise } from '../errors/run-fenced.js'
import type { CatalogEntry } from './definitions.js'

/** Decisions made during boot have lower times than all decisions made at run time, so they never replace those of other nodes. */
const firstAtRunTime = 1_000_000_000

interface Shown {
  readonly viewer: Viewer
  readonly outcomes: Map<EnabledFunction, boolean>
}

export class EnabledState {
  readonly node: string = randomUUID()
  /** Writes the errors of `enabled` functions. `null` before the server exists. */
  log: ErrorLog | null = null
  readonly #decisions = new Map<string, EnabledDecision>()
  readonly #shown = new WeakMap<Viewer, Shown>()
  readonly #failed = new WeakSet<EnabledFunction>()
  #clock = 0
  #version = 0
  #isBooting = true

  get version(): number {
    return this.#version
  }

  endBoot(): void {
    this.#isBooting = false
  }

  decide(by: EnabledDecision['by'], values: readonly string[], isEnabled: boolean): readonly EnabledDecision[] {
    const { node } = this
    this.#version++
    return values.map((value) => {
      this.#clock = Math.max(this.#isBooting ? 0 : Date.now(), this.#clock + 1)
      const decision = { by, value, isEnabled, at: this.#clock, node }
      this.#decisions.set(keyOf(by, value), decision)
      return decision
    })
  }

  adopt(decisions: readonly EnabledDecision[]): void {
    this.#version++
    for (const decision of decisions) {
      const key = keyOf(decision.by, decision.value)
      const known = this.#decisions.get(key)
      if (known === undefined || isLater(decision, known)) this.#decisions.set(key, decision)
      this.#clock = Math.max(this.#clock, decision.at)
    }
  }

  get atRunTime(): readonly EnabledDecision[] {
    return [...this.#decisions.values()].filter(({ at }) => at >= firstAtRunTime)
  }

  hasDecision(by: EnabledDecision['by'], value: string): boolean {
    return this.#decisions.has(keyOf(by, value))
  }

  /** Returns the latest decision about a feature; `null`: only the option `enabled` applies. */
  #decisionOn(name: string, tags: readonly string[]): EnabledDecision | null {
    let latest = this.#decisions.get(keyOf('name', name)) ?? null
    for (const tag of tags) {
      const decision = this.#decisions.get(keyOf('tag', tag))
      if (decision !== undefined && (latest === null || isLater(decision, latest))) latest = decision
    }
    return latest
  }

  isEnabled(name: string, { tags, startsEnabled }: CatalogEntry): boolean {
    if (this.#decisions.size === 0) return startsEnabled
    return this.#decisionOn(name, tags)?.isEnabled ?? startsEnabled
  }

  /** Calls an `enabled` function, once for each viewer. A function that fails hides its features. */
  isShownBy(decide: EnabledFunction, viewer: Viewer): boolean {
    const shown = this.#shownTo(viewer)
    const known = shown.outcomes.get(decide)
    if (known !== undefined) return known
    const outcome = this.#call(decide, shown.viewer)
    shown.outcomes.set(decide, outcome)
    return outcome
  }

  #shownTo(viewer: Viewer): Shown {
    const known = this.#shown.get(viewer)
    if (known !== undefined) return known
    const { principal, transport, headers, meta } = viewer
    const shown = { viewer: Object.freeze({ principal, transport, headers, meta }), outcomes: new Map() }
    this.#shown.set(viewer, shown)
    return shown
  }

  #call(decide: EnabledFunction, viewer: Viewer): boolean {
    try {
      const outcome: unknown = requireNoPromise(decide(viewer), 'The function')
      if (typeof outcome === 'boolean') return outcome
      throw new TypeError(`The function returned ${describeValue(outcome)}. It has to return true or false`)
    } catch (error) {
      this.#reportOnce(decide, error)
      return false
    }
  }

  #reportOnce(decide: EnabledFunction, error: unknown): void {
    if (this.log === null || this.#failed.has(decide)) return
    this.#failed.add(decide)
    const message =
      'a function of the option enabled failed, so its features are hidden. Further failures are not logged'
    logFailure(this.log, error, decide.name === '' ? {} : { function: decide.name }, message)
  }
}

function keyOf(by: EnabledDecision['by'], value: string): string {
  return `${by} ${value}`
}

function isLater(one: EnabledDecision, other: EnabledDecision): boolean {
  return one.at === other.at ? one.node > other.node : one.at > other.at
}
