import type {
  AccessOutcome,
  AuthorizationMatrix,
  Catalog,
  MatrixCaller,
  MatrixOptions,
  MatrixRow,
  Principal,
  Viewer,
} from '@toolwright/core'
import { isAdmitted, isVisible } from '@toolwright/core/reports'
import { printTable } from '../print-table.js'

export type FeatureDefinition = Catalog['registries'][number]['registry']['all'][number]
type Guarded = Pick<FeatureDefinition, 'rule'>
type AccessRule = NonNullable<FeatureDefinition['rule']>

export function buildAuthorizationMatrix(catalog: Catalog, options: MatrixOptions): AuthorizationMatrix {
  const roles = options.roles ?? namesIn(catalog, (rule) => rule.roles.flat())
  const scopes = options.scopes ?? namesIn(catalog, (rule) => rule.scopes.map(({ name }) => name))
  const callers = listCallers(roles, scopes)
  // `enabled` functions get no headers and no claims, because a role or a scope does not determine them.
  const viewers = callers.map((caller): readonly [string, Viewer] => [
    caller.name,
    { principal: principalOf(caller), transport: null, headers: null, meta: {} },
  ])
  const rows = catalog.registries.flatMap(({ kind, registry }) =>
    registry.entries().map(([name, definition]) => {
      const rules = rulesOf(definition, catalog)
      const access = viewers.map(([caller, viewer]) => {
        const isOffered = registry.offers(name, viewer) && isTargetOffered(definition, catalog, viewer)
        return [caller, isOffered ? accessOf(rules, viewer.principal) : 'hidden'] as const
      })
      return { kind, name, access: Object.fromEntries(access) }
    }),
  )
  return new Matrix(callers, rows)
}

class Matrix implements AuthorizationMatrix {
  constructor(
    readonly callers: readonly MatrixCaller[],
    readonly rows: readonly MatrixRow[],
  ) {}

  toString(): string {
    const names = this.callers.map(({ name }) => name)
    const cells = this.rows.map(({ kind, name, access }) => [
      kind,
      name,
      ...names.map((caller) => access[caller] ?? ''),
    ])
    return printTable([['kind', 'feature', ...names], ...cells]).join('\n')
  }
}

const anonymous = 'anonymous'
const authenticated = 'authenticated'

function namesIn({ registries }: Catalog, pick: (rule: AccessRule) => readonly string[]): readonly string[] {
  const guarded: readonly Guarded[] = registries.flatMap(({ registry }) => registry.all)
  return guarded.flatMap(({ rule }) => (rule === null ? [] : pick(rule))).toSorted()
}

/**
 * Lists an anonymous caller and callers with at most one role. Each role is combined with no scope, with one scope and with all
 * scopes.
 */
function listCallers(givenRoles: readonly string[], givenScopes: readonly string[]): readonly MatrixCaller[] {
  // Duplicates are removed, because two columns must not have the same name.
  const roles = [...new Set(givenRoles)]
  const scopes = [...new Set(givenScopes)]
  const scopeSets = [[], ...scopes.map((scope) => [scope]), ...(scopes.length > 1 ? [scopes] : [])]
  const nameRole = namer('role', [anonymous, authenticated, ...scopes])
  const nameScope = namer('scope', [anonymous, authenticated, ...roles])
  const known = [[], ...roles.map((role) => [role])].flatMap((held) =>
    scopeSets.map((granted) => {
      const names = [...held.map(nameRole), ...granted.map(nameScope)]
      return { name: names.join(' + ') || authenticated, roles: held, scopes: granted }
    }),
  )
  return [{ name: anonymous, roles: [], scopes: [] }, ...known]
}

function namer(kind: 'role' | 'scope', taken: readonly string[]): (name: string) => string {
  return (name) => (taken.includes(name) ? `${kind} ${name}` : name)
}

function principalOf({ name, roles, scopes }: MatrixCaller): Principal | null {
  return name === anonymous ? null : { subject: name, roles, scopes, claims: {} }
}

function accessOf(rules: readonly Guarded[], principal: Principal | null): AccessOutcome {
  if (!rules.every((guarded) => isVisible(guarded, principal))) return 'hidden'
  if (!rules.every((guarded) => isAdmitted(guarded, principal))) return 'needs step-up'
  return rules.some(({ rule }) => rule !== null && rule.policies.length > 0) ? 'listed' : 'callable'
}

function isTargetOffered(definition: FeatureDefinition, catalog: Catalog, viewer: Viewer): boolean {
  if (!('target' in definition)) return true
  const { target } = definition
  return 'prompt' in target
    ? catalog.prompts.offers(target.prompt, viewer)
    : catalog.resourceTemplates.offers(target.resource, viewer)
}

export function isHiddenFromAnonymous(definition: FeatureDefinition, catalog: Catalog): boolean {
  return accessOf(rulesOf(definition, catalog), null) === 'hidden'
}

/** Returns the definitions whose rules apply. A completion also requires access to its prompt or template. */
function rulesOf(definition: FeatureDefinition, { prompts, resourceTemplates }: Catalog): readonly Guarded[] {
  if (!('target' in definition)) return [definition]
  const { target } = definition
  const completed = 'prompt' in target ? prompts.get(target.prompt) : resourceTemplates.get(target.resource)
  return completed === undefined ? [definition] : [definition, completed]
}
