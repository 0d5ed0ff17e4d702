import type { AccessRule } from '../../authorization/access-rule.js'
import { isPolicyClass } from '../../authorization/policy.js'
import { ScopeGrants } from '../../authorization/scope-grants.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import type { AuthorizeOptions } from '../../metadata/feature-options.js'
import { classAccess, membersWithAccess, methodAccess, missedFeaturesOf, reportRecorded } from '../../metadata/store.js'
import { type AuthorizationMetadata, type Class, decoratorOf, type FeatureMetadata } from '../../metadata/types.js'
import { defaultsOf, type ReadOptions } from '../../options/option.js'
import type { ToolDefinition } from '../definitions.js'
import { authorizationOptions } from './authorization-options.js'
import { readAuthorizeOptions } from './read-authorize-options.js'

/** What a feature that is added at run time says about who may use it: what the decorators say of methods. */
export interface AddedAccess {
  /** As `@Authorize` has it. */
  readonly authorize?: AuthorizeOptions
  /** As `@AllowAnonymous()`. */
  readonly allowAnonymous?: boolean
}

export interface AuthorizationResolverOptions extends ReadOptions<typeof authorizationOptions> {
  /** Whether the server uses authorization at all. */
  readonly isInUse: boolean
}

export const noRules: AuthorizationResolverOptions = Object.freeze({
  ...defaultsOf(authorizationOptions),
  isInUse: false,
  default: 'anonymous',
})

/** Where the options say nothing, and a class does: what was forgotten is not left open. */
export const guardedByDefault: AuthorizationResolverOptions = Object.freeze({
  ...noRules,
  isInUse: true,
  default: 'authenticated',
})

/** Works out who may use each feature. */
export class AuthorizationResolver {
  readonly #grants: ScopeGrants

  constructor(readonly options: AuthorizationResolverOptions) {
    this.#grants = new ScopeGrants(options.impliedScopes)
  }

  /** What the decorators on a method and on its class, and the server's default, come to. */
  ofMethod(
    controller: Class,
    { method, kind }: FeatureMetadata,
    origin: string,
    diagnostics: Diagnostics,
  ): AccessRule | null {
    const own = upToLift(methodAccess(controller, method), origin, diagnostics)
    const shared = own.isLifted
      ? { marks: [], isLifted: true }
      : upToLift(classAccess(controller), controller.name, diagnostics)
    const isDeclared = own.isLifted || shared.isLifted || own.marks.length + shared.marks.length > 0
    // What a completion completes decides where it does not say itself.
    if (!isDeclared && kind === 'completion') return null
    return this.#ruleOf([...own.marks, ...shared.marks], isDeclared, origin, diagnostics)
  }

  /** What a feature that is added at run time says, and the server's default where it says nothing. */
  ofAdded(added: AddedAccess, origin: string, diagnostics: Diagnostics): AccessRule | null {
    const { authorize } = added
    const isAsked = 'authorize' in added
    const isOpen = (added.allowAnonymous as unknown) === true
    if (isAsked && isOpen) reportBoth(origin, 'authorize and allowAnonymous', diagnostics)
    return this.#ruleOf(isAsked ? [authorize as AuthorizeOptions] : [], isAsked || isOpen, origin, diagnostics)
  }

  /** What a completion completes decides where it does not say itself. */
  ofAddedCompletion(added: AddedAccess, origin: string, diagnostics: Diagnostics): AccessRule | null {
    return 'authorize' in added ? this.ofAdded(added, origin, diagnostics) : null
  }

  /** For what has no place to say anything: the server's default. */
  get default(): AccessRule | null {
    return this.#ruleOf([], false, '', new Diagnostics())
  }

  /** Reports what would never hold: what is said about a member that is no feature. */
  checkMembers(controller: Class, features: readonly FeatureMetadata[], diagnostics: Diagnostics): void {
    const servedMethods = new Set([...features.map(({ method }) => method), ...missedFeaturesOf(controller)])
    for (const member of membersWithAccess(controller)) {
      if (servedMethods.has(member)) continue
      const decorators = Object.values(decoratorOf).join(', ')
      diagnostics.add(
        'bad-authorization',
        `${controller.name}.${String(member)}: it says who may use it, but is not a feature. Add one of ${decorators}, or ` +
          'take @Authorize and @AllowAnonymous off.',
      )
    }
  }

  /** A tool that says it destroys something is not left open to everybody by oversight. */
  checkTool({ name, annotations, rule, origin }: ToolDefinition, diagnostics: Diagnostics): void {
    const { isInUse, allowAnonymousDestructive } = this.options
    if (!isInUse || rule !== null || annotations?.destructiveHint !== true) return
    if (allowAnonymousDestructive.includes(name)) return
    diagnostics.add(
      'unguarded-destructive-tool',
      `${origin}: the tool '${name}' has destructiveHint: true, and anybody may call it, also without authentication. ` +
        `Put @Authorize() on it, or list it in authorization: { allowAnonymousDestructive: ['${name}'] }.`,
    )
  }

  #ruleOf(
    marks: readonly AuthorizeOptions[],
    isDeclared: boolean,
    origin: string,
    diagnostics: Diagnostics,
  ): AccessRule | null {
    const isOpen = isDeclared ? marks.length === 0 : this.options.default === 'anonymous'
    if (isOpen) return null
    const read = marks.map((options) => readAuthorizeOptions(options, origin, diagnostics))
    const roles = read.flatMap((options) => (options.roles === null ? [] : [options.roles.toSorted()]))
    const scopes = [...new Set(read.flatMap((options) => options.scopes))].map((name) => ({
      name,
      grantedBy: this.#grants.grantedBy(name),
    }))
    const policies = read.flatMap(({ policy }) => (policy === undefined ? [] : [policy]))
    for (const policy of policies.filter(isPolicyClass)) reportRecorded(policy, diagnostics)
    const { hideForbidden: isHidden, policyTimeoutMs } = this.options
    // A scope can be asked for, so a feature is shown to those who lack one; a role cannot.
    const audience = Object.freeze({ roles, scopes: isHidden ? scopes.map(({ grantedBy }) => grantedBy) : [] })
    return Object.freeze({ roles, scopes, policies, policyTimeoutMs, audience, isHidden })
  }
}

/** Whether any decorator on these classes says who may use something. */
export function saysWhoMayUse(controllers: readonly unknown[]): boolean {
  return controllers.some((controller) => {
    if (typeof controller !== 'function') return false
    const isOnClass = classAccess(controller as Class).some((marks) => marks.length > 0)
    return isOnClass || membersWithAccess(controller as Class).size > 0
  })
}

interface Declared {
  readonly marks: readonly AuthorizeOptions[]
  /** `@AllowAnonymous` ended the list: what comes from further up does not hold. */
  readonly isLifted: boolean
}

/** From the class itself upwards: all of it holds, as far as the first `@AllowAnonymous`. */
function upToLift(
  chain: readonly (readonly AuthorizationMetadata[])[],
  origin: string,
  diagnostics: Diagnostics,
): Declared {
  const marks: AuthorizeOptions[] = []
  for (const own of chain) {
    const authorize = own.flatMap((mark) => (mark.kind === 'authorize' ? [mark.options] : []))
    const isLifted = authorize.length < own.length
    if (isLifted && authorize.length > 0) reportBoth(origin, '@Authorize and @AllowAnonymous', diagnostics)
    marks.push(...authorize)
    if (isLifted) return { marks, isLifted: true }
  }
  return { marks, isLifted: false }
}

function reportBoth(origin: string, both: string, diagnostics: Diagnostics): void {
  diagnostics.add('bad-authorization', `${origin}: it has both ${both}, which contradict each other. Take one off.`)
}
