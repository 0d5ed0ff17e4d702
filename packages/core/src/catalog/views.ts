import { type AccessRule, isVisible } from '../authorization/access-rule.js'
import { belongsTo } from '../context/audience.js'
import { type EnabledFunction, isServedOver, type Recipient, type TransportName } from '../context/viewer.js'
import type { CatalogEntry } from './definitions.js'

/**
 * Limits of the cache: the number of views, and the number of entries in all views. A view that is not cached is rebuilt for each
 * request.
 */
const maxViews = 64
const maxEntries = 100_000

/**
 * The definitions that each caller sees. Callers share one array if they meet the same rules, their transports serve the same
 * features, and the `enabled` functions return the same for them.
 */
export class Views<Definition extends CatalogEntry> {
  readonly #rules: readonly AccessRule[]
  readonly #transports: readonly (readonly TransportName[])[]
  readonly #functions: readonly EnabledFunction[]
  /**
   * Views by key. Each digit of a key stands for a rule, a list of transports or a function: 1 if the caller meets the rule, uses
   * a listed transport, or the function returns true. The least recently used view comes first.
   */
  readonly #cached = new Map<string, readonly Definition[]>()
  #entries = 0

  constructor(private readonly all: readonly Definition[]) {
    const rules = all.flatMap(({ rule }) => (rule === null ? [] : [rule]))
    const transports = all.flatMap(({ transports: names }) => (names === null ? [] : [names]))
    this.#rules = [...new Map(rules.map((rule) => [JSON.stringify(rule.audience), rule])).values()]
    this.#transports = [...new Map(transports.map((names) => [names.join(), names])).values()]
    this.#functions = [...new Set(all.flatMap(({ enabledFor }) => enabledFor))]
  }

  of(recipient: Recipient, isShownBy: (decide: EnabledFunction) => boolean): readonly Definition[] {
    const { principal, transport } = recipient
    const isMember = this.#rules.map(({ audience }) => belongsTo(audience, principal))
    const isServed = this.#transports.map((names) => isServedOver(names, transport))
    const isShown = this.#functions.map(isShownBy)
    const outcomes = [...isMember, ...isServed, ...isShown].map(Number).join('')
    const view =
      this.#cached.get(outcomes) ??
      this.all.filter((definition) => maySee(definition, recipient) && definition.enabledFor.every(isShownBy))
    this.#cache(outcomes, view)
    return view
  }

  #cache(outcomes: string, view: readonly Definition[]): void {
    if (!this.#cached.delete(outcomes)) this.#entries += view.length
    this.#cached.set(outcomes, view)
    for (const [oldest, { length }] of this.#cached) {
      if (oldest === outcomes || (this.#cached.size <= maxViews && this.#entries <= maxEntries)) return
      this.#cached.delete(oldest)
      this.#entries -= length
    }
  }
}

export function maySee(definition: CatalogEntry, { principal, transport }: Recipient): boolean {
  return isVisible(definition, principal) && isServedOver(definition.transports, transport)
}
