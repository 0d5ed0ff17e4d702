import { hasScope } from '../context/audience.js'

/**
 * Syntax of a scope (RFC 6749, section 3.3). Scopes of tokens cannot contain other characters, and `"` or `\` would break the
 * header `WWW-Authenticate`.
 */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/

export class ScopeGrants {
  readonly #grantedBy = new Map<string, readonly string[]>()

  constructor(readonly implied: Readonly<Record<string, readonly string[]>>) {}

  /** Returns a scope and all scopes that imply it, directly or indirectly. The cache needs no limit: scopes come from code. */
  grantedBy(scope: string): readonly string[] {
    const known = this.#grantedBy.get(scope)
    if (known !== undefined) return known
    const found = new Set([scope])
    // The loop also visits elements that it adds to the set, so indirect implications are found.
    for (const each of found) {
      for (const [wider, implied] of Object.entries(this.implied)) if (implied.includes(each)) found.add(wider)
    }
    const grantedBy = Object.freeze([...found])
    this.#grantedBy.set(scope, grantedBy)
    return grantedBy
  }

  readonly include = (scopes: readonly string[], scope: string): boolean => hasScope({ scopes }, this.grantedBy(scope))
}
