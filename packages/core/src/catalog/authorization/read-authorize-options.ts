import { scopePattern } from '../../authorization/scopes.js'
import { foldRole } from '../../context/audience.js'
import { describeValue } from '../../errors/describe-value.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { type AuthorizeOptions, authorizeOptions } from '../../metadata/feature-options.js'
import { adviceOn } from '../../options/check-names.js'

const known = Object.keys(authorizeOptions)

interface ReadAuthorizeOptions {
  /** Roles in lower case, of which the caller needs one; `null`: no role is required. */
  readonly roles: readonly string[] | null
  readonly scopes: readonly string[]
  readonly policy: AuthorizeOptions['policy']
}

/** Reads the options of one `@Authorize`. Checks every option, because a typo could admit or reject all callers. */
export function readAuthorizeOptions(
  options: AuthorizeOptions,
  origin: string,
  diagnostics: Diagnostics,
): ReadAuthorizeOptions {
  const report: Report = (message) => diagnostics.add('bad-authorization', `${origin}: ${message}`)
  if (typeof options !== 'object' || options === null) {
    report(`its authorization is ${describeValue(options)}. Give an object, such as { roles: ['Admin'] }.`)
    return { roles: null, scopes: [], policy: undefined }
  }
  for (const [option, value] of Object.entries(options)) {
    if (!known.includes(option)) report(`@Authorize has no option '${option}'. ${adviceOn(option, known)}`)
    else if (value === undefined)
      report(`${option} is undefined when the class is defined. Give a value, or leave it out.`)
  }
  const { roles, scopes, policy } = options
  checkList('roles', roles, { pattern: /\S/, wanted: 'a name' }, report)
  checkList('scopes', scopes, { pattern: scopePattern, wanted: 'printable ASCII without spaces, " and \\' }, report)
  checkPolicy(policy, report)
  return {
    roles: Array.isArray(roles) ? roles.map((role) => foldRole(String(role))) : null,
    scopes: Array.isArray(scopes) ? scopes : [],
    policy,
  }
}

type Report = (message: string) => void

function checkList(option: string, value: unknown, entries: { pattern: RegExp; wanted: string }, report: Report): void {
  if (value === undefined) return
  if (!Array.isArray(value)) report(`${option} is ${describeValue(value)}. Give an array of strings.`)
  else if (value.length === 0) report(`${option} is empty. Name at least one, or leave ${option} out.`)
  else {
    const bad: unknown = value.find((entry) => typeof entry !== 'string' || !entries.pattern.test(entry))
    if (bad !== undefined || value.includes(undefined)) {
      report(`${option} has ${describeValue(bad)} in it. Give ${entries.wanted}.`)
    }
  }
}

function checkPolicy(policy: AuthorizeOptions['policy'], report: Report): void {
  if (policy === undefined) return
  if (typeof policy !== 'function') {
    report(`policy is ${describeValue(policy)}. Give a function, or a class with a method 'allows'.`)
  } else if (isClassWithoutAllows(policy)) {
    report(`policy is the class ${policy.name}, which has no method 'allows'. Add the method.`)
  }
}

/**
 * Whether a policy is a class without the method `allows`. Such a class would throw when called as a function, and thereby reject
 * all callers.
 */
function isClassWithoutAllows(policy: NonNullable<AuthorizeOptions['policy']>): boolean {
  if (!/^class\b/.test(Function.prototype.toString.call(policy))) return false
  return typeof (policy.prototype as { allows?: unknown }).allows !== 'function'
}
