import type { CatalogEntry } from '../catalog/definitions.js'
import type { FeatureRegistries, FeatureRegistry } from '../catalog/feature-registry.js'
import { isPlainUri, maxUriLength, normalUri, withReserved } from '../catalog/normal-uri.js'
import { isMoreSpecific } from '../catalog/template-language.js'
import type { UriTemplate } from '../catalog/uri-template.js'
import type { Principal } from '../context/principal.js'
import type { Recipient, Viewer } from '../context/viewer.js'
import type { JsonObject } from '../rpc/messages.js'
import { type Call, type CallPlan, mayUse } from './call.js'
import { policiesAllow } from './check-access.js'
import { isReachable } from './check-transport.js'
import { fromTexts } from './from-texts.js'

export interface ResourcePlan extends CallPlan {
  /** `null` for a fixed URI. */
  readonly template: UriTemplate | null
}

export interface ResourcePlans {
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
}

type ResourceRegistries = Pick<FeatureRegistries, 'resources' | 'resourceTemplates'>

export interface FoundResource {
  /**
   * Registered URI of a fixed resource, or the normalized URI that a template matched. Policies get this URI, so that other
   * spellings of the URI cannot bypass a policy.
   */
  readonly uri: string
  readonly plan: ResourcePlan
  readonly variables: unknown
  /**
   * Other restricted templates that match and are equally specific. Their rules, transports and `enabled` functions apply, too.
   */
  readonly also: readonly FoundResource[]
}

const none: readonly FoundResource[] = []

/**
 * Reads the variables of a template for a matching URI. `null`: the variables do not match their schema.
 *
 * @param texts The variables as strings.
 */
export type ReadVariables = (plan: ResourcePlan, texts: JsonObject, uri: string) => unknown

/**
 * Finds the plan for a URI. A fixed URI takes precedence over templates, and the most specific template over other templates. If
 * a caller is not allowed to use the match, other templates are not tried: an open template must not bypass a guarded resource.
 *
 * @param read Default: converts and checks the variables. Variables whose schema parses them are only converted: to serve such a
 * URI, use `findParsed`.
 */
export function findResource(
  plans: ResourcePlans,
  uri: string,
  read: ReadVariables = checkVariables,
): FoundResource | null {
  const fixed = findFixed(plans, uri)
  if (fixed !== null) return fixed
  return isPlainUri(uri) ? findByTemplate(plans, uri, read) : findSpelled(plans, uri, read)
}

export function roleRejection(found: FoundResource, principal: Principal | null): FoundResource | null {
  if (!mayUse(found.plan, principal)) return found
  return found.also.find(({ plan }) => !mayUse(plan, principal)) ?? null
}

export function isEnabled(found: FoundResource, catalog: ResourceRegistries): boolean {
  return [found, ...found.also].every(({ plan: { name, template } }) => {
    if (template !== null) return hasEnabled(catalog.resourceTemplates, name)
    return hasEnabled(catalog.resources, name)
  })
}

function hasEnabled<Definition extends CatalogEntry>(registry: FeatureRegistry<Definition>, key: string): boolean {
  const definition = registry.get(key)
  return definition !== undefined && registry.isEnabled(definition)
}

export function isOffered(found: FoundResource, catalog: ResourceRegistries, viewer: Viewer): boolean {
  return [found, ...found.also].every(({ plan: { name, template } }) =>
    (template === null ? catalog.resources : catalog.resourceTemplates).offers(name, viewer),
  )
}

export function transportRejection(found: FoundResource, transport: Recipient['transport']): FoundResource | null {
  return [found, ...found.also].find(({ plan }) => !isReachable(plan, transport)) ?? null
}

export function hasPolicies(found: FoundResource): boolean {
  return [found, ...found.also].some(({ plan: { guard } }) => guard !== null && guard.policies !== null)
}

export async function policyRejection(found: FoundResource, call: Call): Promise<FoundResource | null> {
  for (const one of [found, ...found.also]) {
    const feature = { kind: 'resource', name: one.uri } as const
    // Policies run one after the other, so that later policies do not see requests that an earlier policy rejected.
    // oxlint-disable-next-line no-await-in-loop
    if (!(await policiesAllow(one.plan, feature, one.variables, call))) return one
  }
  return null
}

/**
 * Finds the plan for a URI with alternative spellings. All spellings have the same restrictions, so that escaping cannot
 * bypass the restrictions.
 */
function findSpelled(plans: ResourcePlans, spelled: string, read: ReadVariables): FoundResource | null {
  if (spelled.length > maxUriLength) return null
  const uri = normalUri(spelled)
  const fixed = findFixed(plans, uri)
  if (fixed !== null) return fixed
  // Handlers get decoded variables, so they could treat `admin%2F1` as the guarded `admin/1`.
  const decoded = withReserved(uri)
  const meant = decoded === uri ? null : (findFixed(plans, decoded) ?? findByTemplate(plans, decoded, read))
  return meant !== null && isRestricted(meant.plan) ? meant : findByTemplate(plans, uri, read)
}

function findFixed({ resources }: ResourcePlans, uri: string): FoundResource | null {
  const plan = resources.get(uri)
  return plan === undefined ? null : { uri: plan.name, plan, variables: {}, also: none }
}

function findByTemplate({ resourceTemplates }: ResourcePlans, uri: string, read: ReadVariables): FoundResource | null {
  let found: FoundResource | null = null
  let several: FoundResource[] | null = null
  for (const plan of resourceTemplates.values()) {
    const texts = plan.template?.match(uri) ?? null
    const variables = texts === null || plan.input === null ? texts : read(plan, texts, uri)
    if (variables === null) continue
    const one = { uri, plan, variables, also: none }
    if (found === null) found = one
    else if (several === null) several = [found, one]
    else several.push(one)
  }
  return several === null ? found : decide(several)
}

/**
 * Selects the most specific template. Among equally specific templates, a restricted template takes precedence, and the rules,
 * transports and `enabled` functions of all restricted templates apply. If no template is restricted, the first template in alphabetical order is
 * selected.
 */
function decide(matching: readonly FoundResource[]): FoundResource {
  const isSurpassed = ({ plan }: FoundResource): boolean =>
    matching.some((other) => isMoreSpecific(templateOf(other.plan), templateOf(plan)))
  const specific = matching.filter((one) => !isSurpassed(one))
  const [decisive, ...also] = specific.filter(({ plan }) => isRestricted(plan))
  return decisive === undefined ? (specific[0] as FoundResource) : { ...decisive, also }
}

function isRestricted({ guard, transports, isConditional }: ResourcePlan): boolean {
  return guard !== null || transports !== null || isConditional
}

function templateOf({ template }: ResourcePlan): UriTemplate {
  return template as UriTemplate
}

export function checkVariables({ input }: ResourcePlan, texts: JsonObject): unknown {
  if (input === null) return texts
  const variables = fromTexts(input, texts)
  return input.parse !== null || input.check(variables) ? variables : null
}
