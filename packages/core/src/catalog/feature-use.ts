import { type Recipient, transportNames } from '../context/viewer.js'
import type { CatalogEntry } from './definitions.js'
import { maySee } from './views.js'

interface Used {
  readonly all: readonly CatalogEntry[]
  possiblyVisibleTo(recipient: Recipient): readonly CatalogEntry[]
}

/** Decides whether a caller is allowed to find out that a kind of feature is used. */
export class FeatureUse {
  /** Whether there has ever been a definition that `hideForbidden` does not hide. */
  #isShown = false
  /** Transports that have ever served a definition without a rule. */
  readonly #openOver = new Set<Recipient['transport']>()

  constructor(
    private readonly registry: Used,
    private readonly disabled: () => readonly CatalogEntry[],
  ) {}

  get all(): readonly CatalogEntry[] {
    return this.registry.all
  }

  added({ rule, transports }: CatalogEntry): void {
    if (rule?.isHidden !== true) this.#isShown = true
    if (rule !== null) return
    for (const transport of transports ?? [...transportNames, null]) this.#openOver.add(transport)
  }

  /**
   * Whether the caller may see a definition, or the same transport has ever served a definition without a rule. Disabled
   * definitions count: they can be enabled at any time.
   */
  isUsedBy(recipient: Recipient): boolean {
    if (this.#openOver.has(recipient.transport) || this.registry.possiblyVisibleTo(recipient).length > 0) return true
    return this.disabled().some((definition) => maySee(definition, recipient))
  }

  /** Always true after there was a definition that `hideForbidden` does not hide. Otherwise equal to {@link isUsedBy}. */
  isKnownTo(recipient: Recipient): boolean {
    return this.#isShown || this.isUsedBy(recipient)
  }
}
