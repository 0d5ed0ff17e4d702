import type { Catalog } from '../catalog/catalog.js'
import { completionKey } from '../catalog/define-completion.js'
import type { CompletionRequest, CompletionResult } from '../decorators/mcp-completion.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { CompletionTarget } from '../metadata/types.js'
import type { CompletionPlan } from '../plan/completion-plan.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { readString } from './read-params.js'
import { runFeature } from './run-feature.js'
import type { HandlerCall } from './run-handler.js'
import { unknownFeature } from './unknown-feature.js'

const nothing: CompletionResult = Object.freeze({ values: [], total: 0, hasMore: false })

/** Runs one `completion/complete`. An argument without a completer has no completions. @throws ProtocolError */
export async function complete(
  plans: ReadonlyMap<string, CompletionPlan>,
  catalog: Catalog,
  params: JsonObject,
  call: HandlerCall,
): Promise<CompletionResult> {
  const argument = readObject(params, 'argument')
  const target = readTarget(readObject(params, 'ref'), readString(argument, 'name'), catalog)
  const request: CompletionRequest = { value: readString(argument, 'value'), arguments: readContext(params) }
  const plan = plans.get(completionKey(target))
  if (plan === undefined) return nothing
  return runFeature(`The completion of '${target.argument}'`, plan, request, call, plan.encode)
}

function readTarget(ref: JsonObject, argument: string, catalog: Catalog): CompletionTarget {
  if (ref['type'] === 'ref/prompt') {
    const prompt = readString(ref, 'name')
    if (catalog.prompts.get(prompt) !== undefined) return { prompt, argument }
    throw unknownFeature('prompt', prompt, catalog.prompts.keys())
  }
  if (ref['type'] === 'ref/resource') return { resource: findTemplate(readString(ref, 'uri'), catalog), argument }
  throw new ProtocolError('invalidParams', 'Invalid params: "ref.type" must be "ref/prompt" or "ref/resource"')
}

/** Clients name a template by its text, or by a URI that it matches. */
function findTemplate(uri: string, { resourceTemplates }: Catalog): string {
  const byText = resourceTemplates.get(uri)
  const found = byText ?? resourceTemplates.all.find(({ template }) => template.match(uri) !== null)
  if (found === undefined) throw unknownFeature('resource template', uri, resourceTemplates.keys())
  return found.template.text
}

function readContext({ context }: JsonObject): Readonly<Record<string, string>> {
  const args = isJsonObject(context) ? context['arguments'] : undefined
  if (!isJsonObject(args)) return {}
  return Object.fromEntries(
    Object.entries(args).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function readObject(params: JsonObject, member: string): JsonObject {
  const value = params[member]
  if (isJsonObject(value)) return value
  throw new ProtocolError('invalidParams', `Invalid params: "${member}" must be an object`)
}
