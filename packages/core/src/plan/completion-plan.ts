import type { Call, CallPlan } from '../call/call.js'
import { completionKey } from '../catalog/define/define-completion.js'
import type { CompletionDefinition } from '../catalog/definitions.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import { UnfitResult } from '../errors/call-errors.js'
import { isStringList } from '../options/kinds.js'
import { isJsonObject } from '../rpc/messages.js'
import type { Bindings } from './bind-handler.js'
import { compileFeature } from './feature-plan.js'
import { toPlain } from './plain-data.js'
import { toProtocolFailure } from './protocol-failure.js'

export interface CompletionPlan extends CallPlan {
  readonly encode: (value: unknown) => CompletionResult
}

/** Maximum number of values. Spec: server/utilities/completion. */
const maxValues = 100

export function compileCompletionPlan(
  completion: CompletionDefinition,
  bindings: Bindings,
  timeoutMs: number,
): CompletionPlan {
  const name = completionKey(completion.target)
  const { argument } = completion.target
  const { handlerStep, ...feature } = compileFeature('completion', name, completion, bindings, timeoutMs)
  return Object.freeze({
    input: null,
    encode: toCompletion,
    encodeError: (error: Error, call: Call) => {
      throw toProtocolFailure(error, `The completion of '${argument}'`, call)
    },
    run: handlerStep,
    ...feature,
  })
}

function toCompletion(returned: unknown): CompletionResult {
  const data = toPlain(returned)
  const { values, total, hasMore } = isJsonObject(data) ? data : { values: data, total: undefined, hasMore: undefined }
  if (!isStringList(values)) {
    throw new UnfitResult('The completion returned something that is not a list of strings')
  }
  const count = typeof total === 'number' ? total : isJsonObject(data) ? undefined : values.length
  const isCut = values.length > maxValues || hasMore === true || (count ?? 0) > Math.min(values.length, maxValues)
  // `count` can be an estimate with a fraction. Clients reject the whole result if `total` is not an integer.
  const known = Number.isSafeInteger(count) ? count : undefined
  return { values: values.slice(0, maxValues), ...(known === undefined ? {} : { total: known }), hasMore: isCut }
}
