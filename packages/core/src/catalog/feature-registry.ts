import { isServedOverAny, networkTransports, transportNames, type Viewer } from '../context/viewer.js'
import { requireNoPromise } from '../errors/run-fenced.js'
import type {
  CompletionDefinition,
  Offered,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definitions.js'
import { Views } from './views.js'

type RegistryChange<Definition> =
  | { readonly kind: 'added'; readonly definition: Definition }
  | { readonly kind: 'removed'; readonly key: string; readonly definition: Definition }

/** Adds a definition to a registry. Called only by the catalog, which has checked that the key is free. */
export let addTo: <Definition extends Offered>(registry: FeatureRegistry<Definition>, definition: Definition) => void

/**
 * Removes the definition with the given key from a registry. Called only by the catalog. Returns whether the definition existed.
 */
export let removeFrom: <Definition extends Offered>(registry: FeatureRegistry<Definition>, key: string) => boolean

/** The definitions of one kind of feature, by key. Read-only: only the catalog checks and adds definitions. */
export class FeatureRegistry<Definition extends Offered> {
  readonly #definitions = new Map<string, Definition>()
  readonly #listeners: ((change: RegistryChange<Definition>) => void)[] = []
  #sorted: readonly Definition[] | null = null
  /** `null` when all callers see the same definitions. */
  #views: Views<Definition> | null = null
  #isGuarded = false
  /** Whether a definition without a rule is served over the network. */
  #isOpen = false
  /** Whether the registry has ever had a definition that `hideForbidden` does not hide. */
  #isShown = false
  /** Transports that have ever served a definition without a rule. */
  readonly #openOver = new Set<Viewer['transport']>()

  static {
    addTo = (registry, definition) => registry.#add(definition)
    removeFrom = (registry, key) => registry.#remove(key)
  }

  constructor(readonly keyOf: (definition: Definition) => string) {}

  /** All definitions, sorted by key, so that the order is the same on every node. */
  get all(): readonly Definition[] {
    this.#sorted ??= this.#sort()
    return this.#sorted
  }

  /** Returns {@link all}, each definition with its key. */
  entries(): readonly (readonly [string, Definition])[] {
    return this.all.map((definition) => [this.keyOf(definition), definition])
  }

  get(key: string): Definition | undefined {
    return this.#definitions.get(key)
  }

  keys(): Iterable<string> {
    return this.#definitions.keys()
  }

  /** Whether at least one definition has a rule. If so, different callers can see different definitions. */
  get isGuarded(): boolean {
    return this.all.length > 0 && this.#isGuarded
  }

  /** Whether all callers see the same definitions, over all transports. */
  get isSameForAll(): boolean {
    return this.all.length === 0 || this.#views === null
  }

  /** Whether at least one definition is open to all callers over the network. */
  get isOpen(): boolean {
    return this.all.length > 0 && this.#isOpen
  }

  /**
   * Returns the definitions that a caller sees. Callers who see the same definitions share one array, until the registry changes.
   */
  visibleTo(viewer: Viewer): readonly Definition[] {
    const { all } = this
    return this.#views === null ? all : this.#views.of(viewer)
  }

  /** Whether the caller sees a definition, or the same transport has ever served a definition without a rule. */
  isUsedBy(viewer: Viewer): boolean {
    return this.#openOver.has(viewer.transport) || this.visibleTo(viewer).length > 0
  }

  /**
   * Whether a caller is allowed to find out that the registry has, or ever had, a definition. Always true after the registry had
   * a definition that `hideForbidden` does not hide. Otherwise equal to {@link isUsedBy}.
   */
  isKnownTo(viewer: Viewer): boolean {
    return this.#isShown || this.isUsedBy(viewer)
  }

  /** Runs the listener after each change, before the next request. A listener must not return a promise. */
  onChange(listener: (change: RegistryChange<Definition>) => void): void {
    this.#listeners.push(listener)
  }

  /** @throws The error of a listener. The definition is then not added. */
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
    if (definition.rule !== null) return
    for (const transport of definition.transports ?? [...transportNames, null]) this.#openOver.add(transport)
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
    for (const listener of this.#listeners) requireNoPromise<unknown>(listener(change), 'A listener of the catalog')
  }

  #sort(): readonly Definition[] {
    const sorted = [...this.#definitions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition)
    this.#isOpen = sorted.some(
      ({ rule, transports }) => rule === null && isServedOverAny(transports, networkTransports),
    )
    this.#isGuarded = sorted.some(({ rule }) => rule !== null)
    const isLimited = sorted.some(({ transports }) => transports !== null)
    this.#views = this.#isGuarded || isLimited ? new Views(sorted) : null
    return sorted
  }
}

/** The served features, by kind. */
export interface FeatureRegistries {
  readonly tools: FeatureRegistry<ToolDefinition>
  readonly prompts: FeatureRegistry<PromptDefinition>
  /** Resources with a fixed URI. */
  readonly resources: FeatureRegistry<ResourceDefinition>
  readonly resourceTemplates: FeatureRegistry<ResourceTemplateDefinition>
  readonly completions: FeatureRegistry<CompletionDefinition>
}
