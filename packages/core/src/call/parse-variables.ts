import type { Parsed } from '@toolwright/schema'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { type Call, mayUse } from './call.js'
import {
  checkVariables,
  type FoundResource,
  findResource,
  type ResourcePlan,
  type ResourcePlans,
} from './find-resource.js'

/**
 * Finds the plan for a URI, and parses the variables of its template. Returns a promise only if the schema of a matching template
 * parses its variables. As with other schemas, a template does not match a URI with invalid variables.
 */
export function findParsed(plans: ResourcePlans, uri: string, call: Call): MaybePromise<FoundResource | null> {
  const found = findResource(plans, uri)
  if (found === null || ![found, ...found.also].some(parses)) return found
  return new VariableParser(call).find(plans, uri)
}

function parses({ plan: { input } }: FoundResource): boolean {
  return input !== null && input.parse !== null
}

interface Unparsed {
  readonly plan: ResourcePlan
  readonly variables: unknown
}

class VariableParser {
  readonly #parsed = new Map<string, unknown>()
  #next: (Unparsed & { readonly key: string }) | null = null

  constructor(private readonly call: Call) {}

  async find(plans: ResourcePlans, uri: string): Promise<FoundResource | null> {
    for (;;) {
      this.#next = null
      const found = findResource(plans, uri, (plan, texts, matched) => {
        const variables = checkVariables(plan, texts)
        // Schemas do not run for callers without the roles of the template. Such callers are rejected before.
        if (plan.input?.parse == null || !mayUse(plan, this.call.context.principal)) return variables
        const key = `${plan.name} ${matched}`
        if (this.#parsed.has(key)) return this.#parsed.get(key)
        this.#next ??= { plan, variables, key }
        return variables
      })
      const next = this.#next as (Unparsed & { readonly key: string }) | null
      if (next === null) return found
      // oxlint-disable-next-line no-await-in-loop
      this.#parsed.set(next.key, await this.#parse(next))
    }
  }

  async #parse({ plan, variables }: Unparsed): Promise<unknown> {
    const parsing = async (): Promise<Parsed | undefined> => plan.input?.parse?.(variables)
    const parsed = await this.call.cancellation.race(parsing(), plan.timeoutMs)
    return parsed === undefined || parsed.errors !== undefined ? null : parsed.value
  }
}
