import type { Guarded } from '../../authorization/access-rule.js'
import type { Shelf } from '../../catalog/shelf.js'
import type { Principal } from '../../context/principal.js'

/** Whether an extension has ever been of use to what is served. */
export interface ExtensionUse {
  readonly isUsed: boolean
  /** Whether a caller sees something of it, or everybody always did. */
  isUsedBy(principal: Principal | null): boolean
}

/** Watches whether there ever was such a definition: what a client was told of once is not taken back. */
export class WatchedUse<Definition extends Guarded> implements ExtensionUse {
  #isUsed: boolean

  constructor(
    private readonly shelf: Shelf<Definition>,
    private readonly uses: (definition: Definition) => boolean,
  ) {
    this.#isUsed = shelf.all.some(uses)
    shelf.onChange((change) => {
      if (change.kind === 'added' && uses(change.definition)) this.#isUsed = true
    })
  }

  get isUsed(): boolean {
    return this.#isUsed
  }

  isUsedBy(principal: Principal | null): boolean {
    const { shelf, uses } = this
    return shelf.isGuarded ? shelf.visibleTo(principal).some(uses) : this.#isUsed
  }
}

/** In use as soon as one of them is. */
export function anyOf(uses: readonly ExtensionUse[]): ExtensionUse {
  return {
    get isUsed() {
      return uses.some((use) => use.isUsed)
    },
    isUsedBy: (principal) => uses.some((use) => use.isUsedBy(principal)),
  }
}
