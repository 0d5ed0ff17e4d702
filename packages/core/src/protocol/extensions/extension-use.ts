import type { Guarded } from '../../authorization/access-rule.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import type { Principal } from '../../context/principal.js'

/** Whether an extension has ever been of use to what is served. */
export interface ExtensionUse {
  /** Whether a caller may know of it; see {@link FeatureRegistry.isKnownTo}. */
  isKnownTo(principal: Principal | null): boolean
  /** Whether a caller sees something of it, or everybody always did. */
  isUsedBy(principal: Principal | null): boolean
}

/** Watches whether there ever was such a definition: what a client was told of once is not taken back. */
export class WatchedUse<Definition extends Guarded> implements ExtensionUse {
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

  isKnownTo(principal: Principal | null): boolean {
    return this.#isShown || this.isUsedBy(principal)
  }

  isUsedBy(principal: Principal | null): boolean {
    const { registry, uses } = this
    return registry.isGuarded ? registry.visibleTo(principal).some(uses) : this.#isUsed
  }

  #added(definition: Definition): void {
    if (!this.uses(definition)) return
    this.#isUsed = true
    if (definition.rule?.isHidden !== true) this.#isShown = true
  }
}

/** In use as soon as one of them is. */
export function anyOf(uses: readonly ExtensionUse[]): ExtensionUse {
  return {
    isKnownTo: (principal) => uses.some((use) => use.isKnownTo(principal)),
    isUsedBy: (principal) => uses.some((use) => use.isUsedBy(principal)),
  }
}
