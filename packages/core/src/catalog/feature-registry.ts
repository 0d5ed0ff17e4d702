import type { Guarded } from '../authorization/access-rule.js'
import type { Principal } from '../context/principal.js'
import { Views } from './views.js'

/** What happened to a shelf: a definition came, or one went. */
type RegistryChange<Definition> =
  | { readonly kind: 'added'; readonly definition: Definition }
  | { readonly kind: 'removed'; readonly key: string; readonly definition: Definition }

/** Puts a definition on a shelf. For the catalog, which has made sure that its key is free. */
export let addTo: <Definition extends Guarded>(registry: FeatureRegistry<Definition>, definition: Definition) => void

/** Takes the definition with a key off a shelf. For the catalog. Returns whether there was one. */
export let removeFrom: <Definition extends Guarded>(registry: FeatureRegistry<Definition>, key: string) => boolean

/**
 * The definitions of one kind of feature, each under a key of its own. To be read only: what is added has to be checked,
 * which the catalog does.
 */
export class FeatureRegistry<Definition extends Guarded> {
  readonly #definitions = new Map<string, Definition>()
  readonly #listeners: ((change: RegistryChange<Definition>) => void)[] = []
  #sorted: readonly Definition[] | null = null
  /** Of what has a rule; `null` where nothing has one. */
  #views: Views<Definition> | null = null
  /** Whether one of them has no rule. */
  #isOpen = false
  /** Whether there ever was one whose refusals are not hidden. */
  #isShown = false
  /** Whether there ever was one without a rule. */
  #wasOpen = false

  static {
    addTo = (registry, definition) => registry.#add(definition)
    removeFrom = (registry, key) => registry.#remove(key)
  }

  constructor(readonly keyOf: (definition: Definition) => string) {}

  /** In order of the keys: the same set has the same order, whenever and on whichever node it was put together. */
  get all(): readonly Definition[] {
    this.#sorted ??= this.#sort()
    return this.#sorted
  }

  /** As {@link all}, each with its key. */
  entries(): readonly (readonly [string, Definition])[] {
    return this.all.map((definition) => [this.keyOf(definition), definition])
  }

  get(key: string): Definition | undefined {
    return this.#definitions.get(key)
  }

  keys(): Iterable<string> {
    return this.#definitions.keys()
  }

  /** Whether callers see different things. */
  get isGuarded(): boolean {
    return this.all.length > 0 && this.#views !== null
  }

  /** Whether there is anything that everybody may use. */
  get isOpen(): boolean {
    return this.all.length > 0 && this.#isOpen
  }

  /** What a caller sees: the same array for all who see the same, until the shelf changes. */
  visibleTo(principal: Principal | null): readonly Definition[] {
    const { all } = this
    return this.#views === null ? all : this.#views.of(principal)
  }

  /** Whether a caller sees a definition, or anybody ever saw one. */
  isUsedBy(principal: Principal | null): boolean {
    return this.#wasOpen || this.visibleTo(principal).length > 0
  }

  /**
   * Whether a caller may know that there is or ever was a definition: what a client was told of once is not taken back.
   * That includes callers who see none ({@link isUsedBy}), and are refused, unless refusals are hidden.
   */
  isKnownTo(principal: Principal | null): boolean {
    return this.#isShown || this.isUsedBy(principal)
  }

  /** Runs the listener after each change, before the next request. */
  onChange(listener: (change: RegistryChange<Definition>) => void): void {
    this.#listeners.push(listener)
  }

  /** @throws what a listener throws; nothing is added then. */
  #add(definition: Definition): void {
    const key = this.keyOf(definition)
    this.#definitions.set(key, definition)
    try {
      this.#changed({ kind: 'added', definition })
    } catch (error) {
      this.#definitions.delete(key)
      this.#sorted = null
      throw error
    }
    if (definition.rule?.isHidden !== true) this.#isShown = true
    if (definition.rule === null) this.#wasOpen = true
  }

  #remove(key: string): boolean {
    const definition = this.#definitions.get(key)
    if (definition === undefined) return false
    this.#definitions.delete(key)
    this.#changed({ kind: 'removed', key, definition })
    return true
  }

  #changed(change: RegistryChange<Definition>): void {
    this.#sorted = null
    for (const listener of this.#listeners) listener(change)
  }

  #sort(): readonly Definition[] {
    const sorted = [...this.#definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition)
    this.#isOpen = sorted.some(({ rule }) => rule === null)
    this.#views = sorted.some(({ rule }) => rule !== null) ? new Views(sorted) : null
    return sorted
  }
}
