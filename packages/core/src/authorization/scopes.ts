import { hasScope } from '../context/audience.js'

/** Syntax of a scope (RFC 6749, section 3.3). Tokens cannot grant other scopes, and `"` or `\` would break the challenge. */
export const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** The scopes that grant each scope, by the option `impliedScopes`. */
export class ScopeGrants {
  readonly #grantedBy = new Map<string, readonly string[]>()

  /** @param implied The further scopes that each scope grants. */
  constructor(readonly implied: Readonly<Record<string, readonly string[]>>) {}

  /** Returns a scope and all scopes that imply it, directly or not. The cache needs no limit: scopes come from code. */
  grantedBy(scope: string): readonly string[] {
    const known = this.#grantedBy.get(scope)
    if (known !== undefined) return known
    const found = new Set([scope])
    // Iteration over a set includes elements that are added meanwhile, so indirect implications are found.
    for (const each of found) {
      for (const [wider, implied] of Object.entries(this.implied)) if (implied.includes(each)) found.add(wider)
    }
    const grantedBy = Object.freeze([...found])
    this.#grantedBy.set(scope, grantedBy)
    return grantedBy
  }

  /** Whether these scopes grant another scope. */
  readonly include = (scopes: readonly string[], scope: string): boolean => hasScope({ scopes }, this.grantedBy(scope))
}
