import type { Offered } from '../../catalog/definitions.js'
import type { FeatureRegistry } from '../../catalog/feature-registry.js'
import type { Viewer } from '../../context/viewer.js'

export interface ExtensionUse {
  /** Whether a caller is allowed to see that the extension is in use; see {@link FeatureRegistry.isKnownTo}. */
  isKnownTo(viewer: Viewer): boolean
  /**
   * Whether the extension is declared to a caller. True if any feature has ever used the extension. Features that are hidden from
   * this caller are ignored.
   */
  isUsedBy(viewer: Viewer): boolean
}

/** Tracks whether a matching definition was ever registered. A declared capability is never withdrawn. */
export class WatchedUse<Definition extends Offered> implements ExtensionUse {
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

  isKnownTo(viewer: Viewer): boolean {
    return this.#isShown || this.isUsedBy(viewer)
  }

  isUsedBy(viewer: Viewer): boolean {
    const { registry, uses } = this
    return registry.isSameForAll ? this.#isUsed : registry.visibleTo(viewer).some(uses)
  }

  #added(definition: Definition): void {
    if (!this.uses(definition)) return
    this.#isUsed = true
    if (definition.rule?.isHidden !== true) this.#isShown = true
  }
}

/** Combines several uses into one, which is true if any of `uses` is true. */
export function anyOf(uses: readonly ExtensionUse[]): ExtensionUse {
  return {
    isKnownTo: (viewer) => uses.some((use) => use.isKnownTo(viewer)),
    isUsedBy: (viewer) => uses.some((use) => use.isUsedBy(viewer)),
  }
}
