import type { Diagnostics } from '../../errors/diagnostics.js'
import { custom, flag, isObject, isStringList, milliseconds, oneOf, strings } from '../../options/kinds.js'
import type { OptionsOf } from '../../options/option.js'
import { longestTimer } from '../../timing/long-timer.js'

type ImpliedScopes = Readonly<Record<string, readonly string[]>>

export const authorizationOptions = {
  /** Access to a feature without `@Authorize` and `@AllowAnonymous`. Default: `authenticated`. */
  default: oneOf(['authenticated', 'anonymous'], { default: 'authenticated' }),
  /**
   * Whether a forbidden caller gets the error for an unknown feature. If true, lists also omit features whose scopes the caller
   * lacks, so clients cannot find out the scopes to request. Default: false.
   */
  hideForbidden: flag({ default: false }),
  /** Scopes that imply other scopes, also indirectly: `{ 'tools:admin': ['tools:write'] }`. Default: none. */
  impliedScopes: custom<ImpliedScopes, ImpliedScopes>('`Record<string, string[]>`', checkImpliedScopes, {
    default: {},
  }),
  /** Tools with `destructiveHint: true` that anonymous callers can use. Default: none. */
  allowAnonymousDestructive: strings({ type: 'tool names', fix: 'Give an array of names of tools.' }),
  /** Timeout of a policy, after which access is denied. Default: 5,000. */
  policyTimeoutMs: milliseconds({ default: 5000, max: longestTimer }),
}

/** The server's option `authorization`. */
export interface AuthorizationOptions extends OptionsOf<typeof authorizationOptions> {}

function checkImpliedScopes(given: unknown, name: string, diagnostics: Diagnostics): boolean {
  if (!isObject(given)) {
    diagnostics.addBadOption(name, given, 'Give an object.')
    return false
  }
  const wrong = Object.entries(given).filter(([, implied]) => !isStringList(implied))
  for (const [scope, implied] of wrong) {
    diagnostics.addBadOption(`${name}['${scope}']`, implied, 'Give an array of scopes.')
  }
  return wrong.length === 0
}
