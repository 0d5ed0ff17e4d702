import { isServedOverAny, networkTransports, type Recipient, type Viewer } from '../context/viewer.js'
import { requireNoPromise } from '../errors/run-fenced.js'
import type {
  CatalogEntry,
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from './definitions.js'
import { EnabledState } from './enabled-state.js'
import { FeatureUse } from './feature-use.js'
import { Views } from './views.js'

type RegistryChange<Definition> =
  | { readonly kind: 'added'; readonly definition: Definition }
  | { readonly kind: 'removed'; readonly key: string; readonly definition: Definition }
  | { readonly kind: 'enabled' | 'disabled'; readonly definition: Definition }

/** Adds a definition to a registry. Called only by the catalog, which has checked that the key is free. */
export let addTo: <Definition extends CatalogEntry>(
  registry: FeatureRegistry<Definition>,
  definition: Definition,
) => void

/**
 * Removes the definition with the given key from a registry. Called only by the catalog. Returns whether the definition existed.
 */
export let removeFrom: <Definition extends CatalogEntry>(registry: FeatureRegistry<Definition>, key: string) => boolean

/**
 * Returns a function that notifies the listeners of a registry of all definitions that were enabled or disabled since. Called only
 * by the catalog.
 */
export let watchEnabled: <Definition extends CatalogEntry>(registry: FeatureRegistry<Definition>) => () => void

/** The definitions of one kind of feature, by key. Read-only: only the catalog checks and adds definitions. */
export class FeatureRegistry<Definition extends CatalogEntry> {
  readonly #definitions = new Map<string, Definition>()
  readonly #listeners: ((change: RegistryChange<Definition>) => void)[] = []
  #snapshot: Snapshot<Definition> | null = null
  /** Internal. */
  readonly use = new FeatureUse(this, () => this.#now.disabled)

  static {
    addTo = (registry, definition) => registry.#add(definition)
    removeFrom = (registry, key) => registry.#remove(key)
    watchEnabled = (registry) => {
      const before = new Set(registry.enabled)
      return () => registry.#notifyEnabled(before)
    }
  }

  /** @param state Decides which definitions are enabled. Default: the option `enabled` of each definition. */
  constructor(
    readonly keyOf: (definition: Definition) => string,
    private readonly state: EnabledState = new EnabledState(),
  ) {}

  /** All definitions, enabled or not, sorted by key, so that the order is the same on every node. */
  get all(): readonly Definition[] {
    return this.#now.all
  }

  /** The definitions of {@link all} that are not disabled. A function can still hide a definition from some callers. */
  get enabled(): readonly Definition[] {
    return this.#now.enabled
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
    return this.#now.isGuarded
  }

  /** Whether different callers can see different definitions: because of a rule, or of an `enabled` function. */
  get dependsOnCaller(): boolean {
    return this.#now.isGuarded || this.#now.hasFunctions
  }

  /** Whether all callers see the same definitions, over all transports. */
  get isSameForAll(): boolean {
    return this.#now.views === null
  }

  /** Whether at least one definition is open to all callers over the network. */
  get isOpen(): boolean {
    return this.#now.isOpen
  }

  /**
   * Returns the definitions that a caller sees. Callers who see the same definitions share one array, until the registry changes.
   */
  visibleTo(viewer: Viewer): readonly Definition[] {
    const { enabled, views } = this.#now
    return views === null ? enabled : views.of(viewer, (decide) => this.state.isShownBy(decide, viewer))
  }

  /** Returns the definitions that a caller may see. `enabled` functions are not called: they decide on each request. */
  possiblyVisibleTo(recipient: Recipient): readonly Definition[] {
    const { enabled, views } = this.#now
    return views === null ? enabled : views.of(recipient, () => true)
  }

  /** Whether a definition is not disabled. A function can still hide it from some callers. */
  isEnabled(definition: Definition): boolean {
    return this.state.isEnabled(this.keyOf(definition), definition)
  }

  /**
   * Whether a definition exists, is enabled, and is shown to a caller by its functions. Its rule and its transports are not
   * checked.
   */
  offers(key: string, viewer: Viewer): boolean {
    const definition = this.#definitions.get(key)
    if (definition === undefined || !this.state.isEnabled(key, definition)) return false
    return definition.enabledFor.every((decide) => this.state.isShownBy(decide, viewer))
  }

  /** Runs the listener after each change, before the next request. A listener must not return a promise. */
  onChange(listener: (change: RegistryChange<Definition>) => void): void {
    this.#listeners.push(listener)
  }

  #add(definition: Definition): void {
    const key = this.keyOf(definition)
    this.#definitions.set(key, definition)
    this.#snapshot = null
    try {
      this.#notify({ kind: 'added', definition })
    } catch (error) {
      this.#definitions.delete(key)
      this.#snapshot = null
      throw error
    }
    this.use.added(definition)
  }

  #remove(key: string): boolean {
    const definition = this.#definitions.get(key)
    if (definition === undefined) return false
    this.#definitions.delete(key)
    this.#snapshot = null
    this.#notify({ kind: 'removed', key, definition })
    return true
  }

  #notifyEnabled(before: ReadonlySet<Definition>): void {
    const enabled = new Set(this.enabled)
    for (const definition of this.all) {
      const isEnabled = enabled.has(definition)
      if (isEnabled !== before.has(definition)) this.#notify({ kind: isEnabled ? 'enabled' : 'disabled', definition })
    }
  }

  #notify(change: RegistryChange<Definition>): void {
    for (const listener of this.#listeners) requireNoPromise<unknown>(listener(change), 'A listener of the catalog')
  }

  get #now(): Snapshot<Definition> {
    if (this.#snapshot?.version !== this.state.version) this.#snapshot = takeSnapshot(this.#definitions, this.state)
    return this.#snapshot
  }
}

/** The definitions of a registry between two changes. */
interface Snapshot<Definition extends CatalogEntry> {
  readonly all: readonly Definition[]
  readonly enabled: readonly Definition[]
  readonly disabled: readonly Definition[]
  /** `null` when all callers see the same definitions: those that are enabled. */
  readonly views: Views<Definition> | null
  readonly isGuarded: boolean
  readonly hasFunctions: boolean
  /** Whether a definition without a rule is served over the network. */
  readonly isOpen: boolean
  /** Version of the {@link EnabledState}. */
  readonly version: number
}

function takeSnapshot<Definition extends CatalogEntry>(
  definitions: ReadonlyMap<string, Definition>,
  state: EnabledState,
): Snapshot<Definition> {
  const sorted = [...definitions].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const all = sorted.map(([, definition]) => definition)
  const disabled = new Set(sorted.filter(([key, each]) => !state.isEnabled(key, each)).map(([, each]) => each))
  const enabled = disabled.size === 0 ? all : all.filter((each) => !disabled.has(each))
  const isGuarded = all.some(({ rule }) => rule !== null)
  const hasFunctions = all.some(({ enabledFor }) => enabledFor.length > 0)
  const isLimited = all.some(({ transports }) => transports !== null)
  return {
    all,
    enabled,
    disabled: [...disabled],
    views: isGuarded || isLimited || hasFunctions ? new Views(enabled) : null,
    isGuarded,
    hasFunctions,
    isOpen: all.some(({ rule, transports }) => rule === null && isServedOverAny(transports, networkTransports)),
    version: state.version,
  }
}

export interface FeatureRegistries {
  readonly tools: FeatureRegistry<ToolDefinition>
  readonly prompts: FeatureRegistry<PromptDefinition>
  readonly resources: FeatureRegistry<ResourceDefinition>
  readonly resourceTemplates: FeatureRegistry<ResourceTemplateDefinition>
  readonly completions: FeatureRegistry<CompletionDefinition>
}
