import { isPlainUri, maxUriLength, normalUri, withReserved } from '../catalog/normal-uri.js'
import { isMoreSpecific } from '../catalog/template-language.js'
import type { UriTemplate } from '../catalog/uri-template.js'
import type { Principal } from '../context/principal.js'
import { type CompiledSchema, fromTexts } from '../schema/compiled-schema.js'
import { type Call, type CallPlan, mayUse } from './call.js'
import { policiesAllow } from './check-access.js'

/** The plan of a resource or template. */
export interface ResourcePlan extends CallPlan {
  /** `null` for a fixed URI. */
  readonly template: UriTemplate | null
  /** Schema of the variables; `null`: they are not checked. */
  readonly input: CompiledSchema | null
}

export interface ResourcePlans {
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
}

export interface FoundResource {
  /** As it was written, or the normal spelling of one that a template matches: what policies can compare. */
  readonly uri: string
  readonly plan: ResourcePlan
  readonly variables: unknown
  /** Guarded templates that match it as well, and are as specific: their rules hold, too. */
  readonly also: readonly FoundResource[]
}

const none: readonly FoundResource[] = []

/**
 * A fixed URI wins over templates; among those, the most specific. A caller who may not use it gets no other instead: an
 * open template is no way around a guarded resource.
 */
export function findResource(plans: ResourcePlans, uri: string): FoundResource | null {
  const fixed = findFixed(plans, uri)
  if (fixed !== null) return fixed
  return isPlainUri(uri) ? findByTemplate(plans, uri) : findSpelled(plans, uri)
}

/** The rule whose roles or scopes the caller lacks, or `null`. */
export function roleRefusal(found: FoundResource, principal: Principal | null): FoundResource | null {
  if (!mayUse(found.plan, principal)) return found
  return found.also.find(({ plan }) => !mayUse(plan, principal)) ?? null
}

/** Whether the policies of a rule have to be asked. */
export function hasPolicies(found: FoundResource): boolean {
  return [found, ...found.also].some(({ plan: { guard } }) => guard !== null && guard.policies !== null)
}

/** The rule whose policies refuse a call; `null` when there is none. @throws CallCancelled */
export async function policyRefusal(found: FoundResource, call: Call): Promise<FoundResource | null> {
  for (const one of [found, ...found.also]) {
    const feature = { kind: 'resource', name: one.uri } as const
    // One after the other: what the first refuses is no business of the next.
    // oxlint-disable-next-line no-await-in-loop
    if (one.plan.guard !== null && !(await policiesAllow(one.plan, feature, one.variables, call))) return one
  }
  return null
}

/** Of a URI with other spellings: whoever may not use a resource by one of them gets it by none. */
function findSpelled(plans: ResourcePlans, spelled: string): FoundResource | null {
  if (spelled.length > maxUriLength) return null
  const uri = normalUri(spelled)
  const fixed = findFixed(plans, uri)
  if (fixed !== null) return fixed
  // Handlers get their variables decoded, and could take `admin%2F1` for the guarded `admin/1`.
  const decoded = withReserved(uri)
  const meant = decoded === uri ? null : (findFixed(plans, decoded) ?? findByTemplate(plans, decoded))
  return meant !== null && meant.plan.guard !== null ? meant : findByTemplate(plans, uri)
}

function findFixed({ resources }: ResourcePlans, uri: string): FoundResource | null {
  const plan = resources.get(uri)
  return plan === undefined ? null : { uri: plan.name, plan, variables: {}, also: none }
}

function findByTemplate({ resourceTemplates }: ResourcePlans, uri: string): FoundResource | null {
  let found: FoundResource | null = null
  let several: FoundResource[] | null = null
  for (const plan of resourceTemplates.values()) {
    const variables = readVariables(plan, uri)
    if (variables === null) continue
    const one = { uri, plan, variables, also: none }
    if (found === null) found = one
    else if (several === null) several = [found, one]
    else several.push(one)
  }
  return several === null ? found : decide(several)
}

/**
 * The most specific template serves. Where several are, a guarded one does, and the rules of all of them hold; else the first
 * in the order of their text.
 */
function decide(matching: readonly FoundResource[]): FoundResource {
  const isSurpassed = ({ plan }: FoundResource): boolean =>
    matching.some((other) => isMoreSpecific(templateOf(other.plan), templateOf(plan)))
  const specific = matching.filter((one) => !isSurpassed(one))
  const [decisive, ...also] = specific.filter(({ plan }) => plan.guard !== null)
  return decisive === undefined ? (specific[0] as FoundResource) : { ...decisive, also }
}

function templateOf({ template }: ResourcePlan): UriTemplate {
  return template as UriTemplate
}

/** Variables that do not fit their schema make it a URI that names nothing. */
function readVariables({ template, input }: ResourcePlan, uri: string): unknown {
  const matched = template?.match(uri) ?? null
  if (matched === null || input === null) return matched
  const variables = fromTexts(input, matched)
  return input.check(variables) ? variables : null
}
