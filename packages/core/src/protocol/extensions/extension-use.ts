import type { Guarded } from '../../authorization/access-rule.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import type { Principal } from '../../context/principal.js'

export interface ExtensionUse {
  /** Whether a caller may know that the extension is in use; see {@link FeatureRegistry.isKnownTo}. */
  isKnownTo(principal: Principal | null): boolean
  /**
   * Whether the extension is declared to a caller. With rules in the registry: whether a feature that the caller sees
   * uses it. Without rules: whether any feature has ever used it.
   */
  isUsedBy(principal: Principal | null): boolean
}

/**
 * Tracks whether a matching definition was ever registered. A capability that was declared once is not withdrawn.
 */
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

/** Combines several: the result is in use when at least one of them is. */
export function anyOf(uses: readonly ExtensionUse[]): ExtensionUse {
  return {
    isKnownTo: (principal) => uses.some((use) => use.isKnownTo(principal)),
    isUsedBy: (principal) => uses.some((use) => use.isUsedBy(principal)),
  }
}
