import { type AccessRule, type Guarded, isVisible } from '../authorization/access-rule.js'
import { belongsTo } from '../context/audience.js'
import type { Principal } from '../context/principal.js'

/** Limits of the cache: the number of views, and of entries in all views. Other views are rebuilt for each request. */
const maxViews = 64
const maxEntries = 100_000

/** The definitions that each caller sees. Callers with the same outcome of every rule share one array. */
export class Views<Definition extends Guarded> {
  readonly #rules: readonly AccessRule[]
  /** By the outcomes of the rules; least recently used first. */
  readonly #kept = new Map<string, readonly Definition[]>()
  #entries = 0

  constructor(private readonly all: readonly Definition[]) {
    const rules = all.flatMap(({ rule }) => (rule === null ? [] : [rule]))
    const distinct = new Map(rules.map((rule) => [JSON.stringify(rule.audience), rule]))
    this.#rules = [...distinct.values()]
  }

  of(principal: Principal | null): readonly Definition[] {
    const outcomes = this.#rules.map(({ audience }) => (belongsTo(audience, principal) ? '1' : '0')).join('')
    const view = this.#kept.get(outcomes) ?? this.all.filter((definition) => isVisible(definition, principal))
    this.#keep(outcomes, view)
    return view
  }

  #keep(outcomes: string, view: readonly Definition[]): void {
    if (!this.#kept.delete(outcomes)) this.#entries += view.length
    this.#kept.set(outcomes, view)
    for (const [oldest, { length }] of this.#kept) {
      if (oldest === outcomes || (this.#kept.size <= maxViews && this.#entries <= maxEntries)) return
      this.#kept.delete(oldest)
      this.#entries -= length
    }
  }
}
