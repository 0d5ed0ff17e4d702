import type { ResourceContents } from '../content.js'
import { ResourceNotFoundError, shorten } from '../errors/protocol-error.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { JsonObject } from '../rpc/messages.js'
import { readString } from './read-params.js'
import { runFeature } from './run-feature.js'
import type { HandlerCall } from './run-handler.js'

export interface ResourcePlans {
  readonly resources: ReadonlyMap<string, ResourcePlan>
  readonly resourceTemplates: ReadonlyMap<string, ResourcePlan>
}

/** Runs one `resources/read`. @throws ProtocolError, CallCancelled */
export async function readResource(
  plans: ResourcePlans,
  params: JsonObject,
  call: HandlerCall,
): Promise<readonly ResourceContents[]> {
  const uri = readString(params, 'uri')
  const found = findResource(plans, uri)
  if (found === null) throw new ResourceNotFoundError(uri)
  const { plan, variables } = found
  const encode = (returned: unknown): readonly ResourceContents[] => {
    const contents = plan.encode(returned, uri)
    if (contents === null) throw new ResourceNotFoundError(uri)
    return contents
  }
  return runFeature(`Resource '${shorten(uri)}'`, plan, variables, call, encode, uri)
}

interface FoundResource {
  readonly plan: ResourcePlan
  readonly variables: unknown
}

/** A fixed URI wins over templates; among those, the first in order of their text. */
function findResource({ resources, resourceTemplates }: ResourcePlans, uri: string): FoundResource | null {
  const fixed = resources.get(uri)
  if (fixed !== undefined) return { plan: fixed, variables: {} }
  for (const plan of resourceTemplates.values()) {
    const variables = readVariables(plan, uri)
    if (variables !== null) return { plan, variables }
  }
  return null
}

/** Variables that do not fit their schema make it a URI that names nothing. */
function readVariables({ template, input }: ResourcePlan, uri: string): unknown {
  const matched = template?.match(uri) ?? null
  if (matched === null || input === null) return matched
  const converted = input.convert === null ? matched : input.convert(matched)
  const variables = input.applyDefaults === null ? converted : input.applyDefaults(converted)
  return input.check(variables) ? variables : null
}
