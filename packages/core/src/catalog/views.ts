import { type AccessRule, isVisible } from '../authorization/access-rule.js'
import { belongsTo } from '../context/audience.js'
import type { Principal } from '../context/principal.js'
import { isServedOver, type Viewer } from '../context/viewer.js'
import type { Offered } from './definitions.js'

/** Limits of the cache: the number of views, and of entries in all views. Other views are rebuilt for each request. */
const maxViews = 64
const maxEntries = 100_000

/** The definitions that each caller sees. Callers with the same outcome of every rule share one array. */
export class Views<Definition extends Offered> {
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

/** Whether lists include a definition for a caller. */
export function isVisibleTo(definition: Offered, { principal, transport }: Viewer): boolean {
  return isVisible(definition, principal) && isServedOver(definition.transports, transport)
}

/** Returns the views of definitions; `null` when no definition has a rule: all callers then see the same. */
export function viewsOf<Definition extends Offered>(definitions: readonly Definition[]): Views<Definition> | null {
  return definitions.some(({ rule }) => rule !== null) ? new Views(definitions) : null
}

/** The definitions that each caller sees over each transport. */
export class TransportViews<Definition extends Offered> {
  readonly #served = new Map<Viewer['transport'], Served<Definition>>()

  constructor(private readonly all: readonly Definition[]) {}

  of({ principal, transport }: Viewer): readonly Definition[] {
    const { definitions, views } = this.#served.get(transport) ?? this.#add(transport)
    return views === null ? definitions : views.of(principal)
  }

  #add(transport: Viewer['transport']): Served<Definition> {
    const definitions = this.all.filter(({ transports }) => isServedOver(transports, transport))
    const served = { definitions, views: viewsOf(definitions) }
    this.#served.set(transport, served)
    return served
  }
}

/** The definitions that are served over one transport. */
interface Served<Definition extends Offered> {
  readonly definitions: readonly Definition[]
  readonly views: Views<Definition> | null
}
