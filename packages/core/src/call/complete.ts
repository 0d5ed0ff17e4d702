import type { Catalog } from '../catalog/catalog.js'
import { completionKey } from '../catalog/define/define-completion.js'
import type { ResourceTemplateDefinition } from '../catalog/definitions.js'
import { normalUri } from '../catalog/normal-uri.js'
import { isMoreSpecific } from '../catalog/template-language.js'
import type { Viewer } from '../context/viewer.js'
import type { CompletionRequest, CompletionResult } from '../decorators/mcp-completion.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { CompletionTarget } from '../metadata/types.js'
import { isJsonObject, type JsonObject, readObject, readString } from '../rpc/messages.js'
import { type Call, type CallPlan, type FeatureMethod, type GuardedPlan, mayUse } from './call.js'
import { policiesAllow, reject } from './check-access.js'
import { isReachable } from './check-transport.js'
import { rejectUse } from './observe-forbidden.js'
import { unknownFeature } from './unknown-feature.js'

interface CompletionPlans {
  readonly completions: ReadonlyMap<string, CallPlan>
  readonly prompts: ReadonlyMap<string, GuardedPlan>
  readonly resourceTemplates: ReadonlyMap<string, GuardedPlan>
}

const nothing: CompletionResult = Object.freeze({ values: [], total: 0, hasMore: false })

/**
 * Serves `completion/complete`. Ends the call with the completions, or rejects the promise with the error for the client. An
 * argument without a completer has no completions.
 */
export async function complete(
  plans: CompletionPlans,
  catalog: Catalog,
  params: JsonObject,
  call: Call,
  method: FeatureMethod,
): Promise<void> {
  const argument = readObject(params, 'argument')
  const ref = readObject(params, 'ref')
  const target = readTarget(ref, readString(argument, 'name'), catalog, call.context)
  const request: CompletionRequest = { value: readString(argument, 'value'), arguments: readContext(params) }
  const key = completionKey(target)
  const plan = plans.completions.get(key)
  const isServed =
    plan !== undefined && catalog.completions.offers(key, call.context) && isReachable(plan, call.context.transport)
  if (!isServed || !(await isAllowed(plan, target, request, plans, call))) call.end(nothing)
  else call.start(plan, method, request)
}

/** Finds the argument to complete. A hidden feature is treated as unknown, and error messages do not suggest its name. */
function readTarget(ref: JsonObject, argument: string, catalog: Catalog, viewer: Viewer): CompletionTarget {
  const { prompts, resourceTemplates } = catalog
  if (ref['type'] === 'ref/prompt') {
    const prompt = readString(ref, 'name')
    const definition = prompts.get(prompt)
    const visible = prompts.visibleTo(viewer)
    if (definition !== undefined && visible.includes(definition)) return { prompt, argument }
    throw unknownFeature('prompt', prompt, visible.map(prompts.keyOf))
  }
  if (ref['type'] === 'ref/resource') {
    return { resource: findTemplate(readString(ref, 'uri'), resourceTemplates, viewer), argument }
  }
  throw new ProtocolError('invalidParams', 'Invalid params: "ref.type" must be "ref/prompt" or "ref/resource"')
}

function findTemplate(uri: string, templates: Catalog['resourceTemplates'], viewer: Viewer): string {
  const exact = templates.get(uri)
  const visible = templates.visibleTo(viewer)
  if (exact !== undefined && visible.includes(exact)) return uri
  const normal = normalUri(uri)
  const matching = visible.filter(({ template }) => template.match(normal) !== null)
  const isSurpassed = ({ template }: ResourceTemplateDefinition): boolean =>
    matching.some((other) => isMoreSpecific(other.template, template))
  const found = matching.find((definition) => !isSurpassed(definition))
  if (found !== undefined) return found.template.text
  throw unknownFeature('resource template', uri, visible.map(templates.keyOf))
}

/**
 * Checks the rule of the prompt or template, and the rule of its completer. Both must allow the call.
 *
 * @returns `false` if the completions are hidden from the caller.
 * @throws AuthenticationError, ForbiddenError, CallCancelled
 */
async function isAllowed(
  plan: CallPlan,
  target: CompletionTarget,
  request: CompletionRequest,
  { prompts, resourceTemplates }: CompletionPlans,
  call: Call,
): Promise<boolean> {
  const { principal } = call.context
  const completed = 'prompt' in target ? prompts.get(target.prompt) : resourceTemplates.get(target.resource)
  const guarded: readonly GuardedPlan[] = completed === undefined ? [plan] : [completed, plan]
  const rejected = guarded.find((each) => !mayUse(each, principal))
  if (rejected !== undefined) return reject(rejectUse({ guard: rejected.guard, hooks: plan.hooks }, request, call))
  const feature = { kind: 'completion', name: completionKey(target) } as const
  const args = { ...request.arguments, [target.argument]: request.value }
  for (const each of guarded) {
    // Policies run one after the other, so that later policies do not see requests that an earlier policy rejected.
    // oxlint-disable-next-line no-await-in-loop
    if (await policiesAllow(each, feature, args, call)) continue
    return reject(rejectUse({ guard: each.guard, hooks: plan.hooks }, request, call))
  }
  return true
}

function readContext({ context }: JsonObject): Readonly<Record<string, string>> {
  const args = isJsonObject(context) ? context['arguments'] : undefined
  if (!isJsonObject(args)) return {}
  return Object.fromEntries(
    Object.entries(args).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
