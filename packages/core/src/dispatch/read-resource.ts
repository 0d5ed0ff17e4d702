import { isPlainUri, maxUriLength, normalUri, withReserved } from '../catalog/normal-uri.js'
import type { ResourceContents } from '../content.js'
import { ResourceNotFoundError, shorten } from '../errors/protocol-error.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { JsonObject } from '../rpc/messages.js'
import { fromTexts } from '../schema/compiled-schema.js'
import { mayUse, policiesAllow } from './check-access.js'
import { refuseUse } from './observe-forbidden.js'
import { readString } from './read-params.js'
import { runFeature } from './run-feature.js'
import type { RunningCall } from './running-call.js'

export interface ResourcePlans {
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
}

/** Runs one `resources/read`. @throws ProtocolError, CallCancelled */
export async function readResource(
  plans: ResourcePlans,
  params: JsonObject,
  call: RunningCall,
): Promise<readonly ResourceContents[]> {
  const uri = readString(params, 'uri')
  const found = findResource(plans, uri)
  const notFound = (): ResourceNotFoundError => new ResourceNotFoundError(uri)
  if (found === null || !mayUse(found.plan, call.context.principal)) {
    throw refuseUse(found?.plan, found?.variables, call, uri) ?? notFound()
  }
  const { plan, variables } = found
  const feature = { kind: 'resource', name: found.uri } as const
  if (plan.guard !== null && !(await policiesAllow(plan, feature, variables, call))) {
    throw refuseUse(plan, variables, call, uri) ?? notFound()
  }
  const encode = (returned: unknown): readonly ResourceContents[] => {
    const contents = plan.encode(returned, uri)
    if (contents === null) throw notFound()
    return contents
  }
  return runFeature(`Resource '${shorten(uri)}'`, plan, variables, call, encode, uri)
}

interface FoundResource {
  /** As it was written, or the normal spelling of one that a template matches: what policies can compare. */
  readonly uri: string
  readonly plan: ResourcePlan
  readonly variables: unknown
}

/**
 * A fixed URI wins over templates; among those, the first in order of their text. Whoever may not use it gets no other
 * instead: an open template is no way around a guarded resource.
 */
export function findResource(plans: ResourcePlans, uri: string): FoundResource | null {
  const fixed = findFixed(plans, uri)
  if (fixed !== null) return fixed
  return isPlainUri(uri) ? findByTemplate(plans, uri) : findSpelled(plans, uri)
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
  return plan === undefined ? null : { uri: plan.name, plan, variables: {} }
}

function findByTemplate({ resourceTemplates }: ResourcePlans, uri: string): FoundResource | null {
  for (const plan of resourceTemplates.values()) {
    const variables = readVariables(plan, uri)
    if (variables !== null) return { uri, plan, variables }
  }
  return null
}

/** Variables that do not fit their schema make it a URI that names nothing. */
function readVariables({ template, input }: ResourcePlan, uri: string): unknown {
  const matched = template?.match(uri) ?? null
  if (matched === null || input === null) return matched
  const variables = fromTexts(input, matched)
  return input.check(variables) ? variables : null
}
