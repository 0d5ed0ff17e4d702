import type { Catalog } from '../../catalog/catalog.js'
import type { CatalogEntry } from '../../catalog/definitions.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import type { Recipient } from '../../context/viewer.js'
import type { Extension } from './extension.js'

export function useOf({ usedBy }: Pick<Extension, 'usedBy'>, catalog: Catalog): ExtensionUse | undefined {
  if (usedBy === undefined) return undefined
  const { tools, resources, resourceTemplates } = usedBy
  const uses: readonly ExtensionUse[] = [
    tools && new WatchedUse(catalog.tools, tools),
    resources && new WatchedUse(catalog.resources, resources),
    resourceTemplates && new WatchedUse(catalog.resourceTemplates, resourceTemplates),
  ].filter((use) => use !== undefined)
  return {
    isKnownTo: (recipient) => uses.some((use) => use.isKnownTo(recipient)),
    isUsedBy: (recipient) => uses.some((use) => use.isUsedBy(recipient)),
    get all() {
      return uses.flatMap((use) => use.all)
    },
  }
}

export interface ExtensionUse {
  readonly all: readonly CatalogEntry[]
  isKnownTo(recipient: Recipient): boolean
  /**
   * Whether the extension is declared to a caller. True if any feature has ever used the extension. Features that are hidden from
   * this caller are ignored.
   */
  isUsedBy(recipient: Recipient): boolean
}

/** Tracks whether a matching definition was ever registered. A declared capability is never withdrawn. */
class WatchedUse<Definition extends CatalogEntry> implements ExtensionUse {
  #isUsed = false
  #isShown = false

  constructor(
    private readonly registry: FeatureRegistry<Definition>,
    private readonly uses: (definition: Definition) => boolean,
  ) {
    for (const definition of registry.all) this.#added(definition)
    registry.onChange((change) => {
      if (change.kind === 'added') this.#added(change.definition)
    })
  }

  get all(): readonly Definition[] {
    return this.registry.all.filter(this.uses)
  }

  isKnownTo(recipient: Recipient): boolean {
    return this.#isShown || this.isUsedBy(recipient)
  }

  isUsedBy(recipient: Recipient): boolean {
    const { registry, uses } = this
    return registry.isSameForAll ? this.#isUsed : registry.possiblyVisibleTo(recipient).some(uses)
  }

  #added(definition: Definition): void {
    if (!this.uses(definition)) return
    this.#isUsed = true
    if (definition.rule?.isHidden !== true) this.#isShown = true
  }
}
