import { hasScope } from '../context/audience.js'

/** The scopes that grant each scope, by the option `impliedScopes`. */
export class ScopeGrants {
  readonly #grantedBy = new Map<string, readonly string[]>()

  /** @param implied The scopes that each scope grants besides itself. */
  constructor(readonly implied: Readonly<Record<string, readonly string[]>>) {}

  /** A scope itself, and all that imply it, over any number of steps. Scopes come from the code: there are few. */
  grantedBy(scope: string): readonly string[] {
    const known = this.#grantedBy.get(scope)
    if (known !== undefined) return known
    const found = new Set([scope])
    // A set hands out what is added to it on the way: every scope that implies one of them is found in the end.
    for (const each of found) {
      for (const [wider, implied] of Object.entries(this.implied)) if (implied.includes(each)) found.add(wider)
    }
    const grantedBy = Object.freeze([...found])
    this.#grantedBy.set(scope, grantedBy)
    return grantedBy
  }

  /** Whether a caller with these scopes has another one. */
  readonly include = (scopes: readonly string[], scope: string): boolean => hasScope({ scopes }, this.grantedBy(scope))
}
