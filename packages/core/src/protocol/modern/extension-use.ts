import type { Shelf } from '../../catalog/shelf.js'

/** Whether an extension has ever been of use to what is served. */
export interface ExtensionUse {
  readonly isUsed: boolean
}

/** Watches whether there ever was such a definition: what a client was told of once is not taken back. */
export class WatchedUse<Definition> implements ExtensionUse {
  #isUsed: boolean

  constructor(shelf: Shelf<Definition>, uses: (definition: Definition) => boolean) {
    this.#isUsed = shelf.all.some(uses)
    shelf.onChange((change) => {
      if (change.kind === 'added' && uses(change.definition)) this.#isUsed = true
    })
  }

  get isUsed(): boolean {
    return this.#isUsed
  }
}

/** In use as soon as one of them is. */
export function anyOf(uses: readonly ExtensionUse[]): ExtensionUse {
  return {
    get isUsed() {
      return uses.some((use) => use.isUsed)
    },
  }
}
