import type { AccessRule } from '../../authorization/access-rule.js'
import { isPolicyClass } from '../../authorization/policy.js'
import { ScopeGrants } from '../../authorization/scopes.js'
import type { Audience } from '../../context/audience.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import type { AuthorizeOptions } from '../../metadata/feature-options.js'
import { classAccess, featureMethodsOf, membersWithAccess, methodAccess, reportRecorded } from '../../metadata/store.js'
import { type AuthorizationMetadata, type Class, decoratorOf, type FeatureMetadata } from '../../metadata/types.js'
import { defaultsOf, type ReadOptions } from '../../options/option.js'
import type { ToolDefinition } from '../definitions.js'
import { authorizationOptions } from './authorization-options.js'
import { readAuthorizeOptions } from './read-authorize-options.js'

/** The authorization of a feature that is added at run time. */
export interface AddedAccess {
  /** Same as `@Authorize`. */
  readonly authorize?: AuthorizeOptions
  /** Same as `@AllowAnonymous()`. */
  readonly allowAnonymous?: boolean
}

export interface AuthorizationResolverOptions extends ReadOptions<typeof authorizationOptions> {
  readonly isInUse: boolean
}

export const noRules: AuthorizationResolverOptions = Object.freeze({
  ...defaultsOf(authorizationOptions),
  isInUse: false,
  default: 'anonymous',
})

/**
 * Options that apply if a class has an authorization decorator, but the server has no option `authorization`. Features without a
 * decorator then require an authenticated caller.
 */
export const guardedByDefault: AuthorizationResolverOptions = Object.freeze({
  ...noRules,
  isInUse: true,
  default: 'authenticated',
})

export class AuthorizationResolver {
  readonly #grants: ScopeGrants

  constructor(readonly options: AuthorizationResolverOptions) {
    this.#grants = new ScopeGrants(options.impliedScopes)
  }

  ofMethod(
    controller: Class,
    { method, kind }: FeatureMetadata,
    origin: string,
    diagnostics: Diagnostics,
  ): AccessRule | null {
    const own = declarationsUpToAnonymous(methodAccess(controller, method), origin, diagnostics)
    const shared = own.endsAnonymous
      ? { options: [], endsAnonymous: true }
      : declarationsUpToAnonymous(classAccess(controller), controller.name, diagnostics)
    const isDeclared = own.endsAnonymous || shared.endsAnonymous || own.options.length + shared.options.length > 0
    // A completion without `@Authorize` or `@AllowAnonymous` has the rule of its prompt or template.
    if (!isDeclared && kind === 'completion') return null
    return this.#ruleOf([...own.options, ...shared.options], isDeclared, origin, diagnostics)
  }

  ofAdded(
    kind: FeatureMetadata['kind'],
    added: AddedAccess,
    origin: string,
    diagnostics: Diagnostics,
  ): AccessRule | null {
    const { authorize } = added
    const isRestricted = 'authorize' in added
    if (!isRestricted && kind === 'completion') return null
    const isOpen = (added.allowAnonymous as unknown) === true
    if (isRestricted && isOpen) reportBoth(origin, 'authorize and allowAnonymous', diagnostics)
    const declared = isRestricted ? [authorize as AuthorizeOptions] : []
    return this.#ruleOf(declared, isRestricted || isOpen, origin, diagnostics)
  }

  get default(): AccessRule | null {
    return this.#ruleOf([], false, '', new Diagnostics())
  }

  /**
   * Returns the audience of notifications: the callers with these roles and scopes. `null`: all callers.
   *
   * @param needed `null`: the server's default rule.
   */
  audienceOf(needed: Pick<AuthorizeOptions, 'roles' | 'scopes'> | null, diagnostics: Diagnostics): Audience | null {
    if (needed === null) return audienceOfRule(this.default)
    const { roles = [], scopes = [] } = needed
    const given = { ...(roles.length > 0 ? { roles } : {}), ...(scopes.length > 0 ? { scopes } : {}) }
    return audienceOfRule(this.ofAdded('tool', { authorize: given }, 'notify', diagnostics))
  }

  checkMembers(controller: Class, diagnostics: Diagnostics): void {
    const features = featureMethodsOf(controller)
    for (const member of membersWithAccess(controller)) {
      if (features.has(member)) continue
      const decorators = Object.values(decoratorOf).join(', ')
      diagnostics.add(
        'bad-authorization',
        `${controller.name}.${String(member)}: it has @Authorize or @AllowAnonymous, but is not a feature. Remove that ` +
          `decorator, or add one of ${decorators}.`,
      )
    }
  }

  checkTool({ name, annotations, rule, origin }: ToolDefinition, diagnostics: Diagnostics): void {
    const { isInUse, allowAnonymousDestructive } = this.options
    if (!isInUse || rule !== null || annotations?.destructiveHint !== true) return
    if (allowAnonymousDestructive.includes(name)) return
    diagnostics.add(
      'unguarded-destructive-tool',
      `${origin}: the tool '${name}' has destructiveHint: true, and all callers may call it, even without authentication. ` +
        `Put @Authorize() on it, or list it in authorization: { allowAnonymousDestructive: ['${name}'] }.`,
    )
  }

  #ruleOf(
    declared: readonly AuthorizeOptions[],
    isDeclared: boolean,
    origin: string,
    diagnostics: Diagnostics,
  ): AccessRule | null {
    const isOpen = isDeclared ? declared.length === 0 : this.options.default === 'anonymous'
    if (isOpen) return null
    const read = declared.map((options) => readAuthorizeOptions(options, origin, diagnostics))
    const roles = read.flatMap((options) => (options.roles === null ? [] : [options.roles.toSorted()]))
    const scopes = [...new Set(read.flatMap((options) => options.scopes))].map((name) => ({
      name,
      grantedBy: this.#grants.grantedBy(name),
    }))
    const policies = read.flatMap(({ policy }) => (policy === undefined ? [] : [policy]))
    for (const policy of policies.filter(isPolicyClass)) reportRecorded(policy, diagnostics)
    const { hideForbidden: isHidden, policyTimeoutMs } = this.options
    // By default, lists include a feature even if the caller lacks a scope: clients can request scopes, but not roles.
    const audience = Object.freeze({ roles, scopes: isHidden ? scopes.map(({ grantedBy }) => grantedBy) : [] })
    return Object.freeze({ roles, scopes, policies, policyTimeoutMs, audience, isHidden })
  }
}

/**
 * Returns the callers with one role of each group, and all scopes, of a rule. Callers who lack a scope are not notified, even if
 * their lists contain the feature.
 */
function audienceOfRule(rule: AccessRule | null): Audience | null {
  return rule === null ? null : { roles: rule.roles, scopes: rule.scopes.map(({ grantedBy }) => grantedBy) }
}

export function declaresAccess(controllers: readonly unknown[]): boolean {
  return controllers.some((controller) => {
    if (typeof controller !== 'function') return false
    const isOnClass = classAccess(controller as Class).some((own) => own.length > 0)
    return isOnClass || membersWithAccess(controller as Class).size > 0
  })
}

interface Declared {
  readonly options: readonly AuthorizeOptions[]
  /** Whether the list ends at `@AllowAnonymous`. If so, declarations of base classes do not apply. */
  readonly endsAnonymous: boolean
}

function declarationsUpToAnonymous(
  chain: readonly (readonly AuthorizationMetadata[])[],
  origin: string,
  diagnostics: Diagnostics,
): Declared {
  const options: AuthorizeOptions[] = []
  for (const own of chain) {
    const authorize = own.flatMap((each) => (each.kind === 'authorize' ? [each.options] : []))
    const endsAnonymous = authorize.length < own.length
    if (endsAnonymous && authorize.length > 0) reportBoth(origin, '@Authorize and @AllowAnonymous', diagnostics)
    options.push(...authorize)
    if (endsAnonymous) return { options, endsAnonymous: true }
  }
  return { options, endsAnonymous: false }
}

function reportBoth(origin: string, both: string, diagnostics: Diagnostics): void {
  diagnostics.add('bad-authorization', `${origin}: it has both ${both}, which contradict each other. Remove one.`)
}
