import { completionKey } from '../catalog/define/define-completion.js'
import type { CompletionDefinition } from '../catalog/definitions.js'
import type { CompletionResult } from '../decorators/mcp-completion.js'
import { UnfitResult } from '../errors/unfit-result.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { isJsonObject } from '../rpc/messages.js'
import { type Bindings, bindHandler, type Handler } from './bind-handler.js'
import { compileGuard, type Guard } from './guard.js'
import { toPlain } from './to-json.js'

/** Everything `completion/complete` needs for one argument, decided at boot. */
export interface CompletionPlan {
  /** `null`: everybody for whom there is what it completes. */
  readonly guard: Guard | null
  readonly handler: Handler
  /** `null`: none. */
  readonly hooks: HookChain | null
  readonly encode: (value: unknown) => CompletionResult
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** Spec: server/utilities/completion. */
const maxValues = 100

export function compileCompletionPlan(
  completion: CompletionDefinition,
  bindings: Bindings,
  timeoutMs: number,
): CompletionPlan {
  const name = completionKey(completion.target)
  return Object.freeze({
    guard: compileGuard({ kind: 'completion', name }, completion, bindings),
    handler: bindHandler(completion, bindings),
    hooks: bindings.hooks.bind('completion', name, completion),
    encode: toCompletion,
    timeoutMs,
  })
}

function toCompletion(returned: unknown): CompletionResult {
  const data = toPlain(returned)
  const { values, total, hasMore } = isJsonObject(data) ? data : { values: data, total: undefined, hasMore: undefined }
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw new UnfitResult('The completion returned something that is not a list of strings')
  }
  const count = typeof total === 'number' ? total : isJsonObject(data) ? undefined : values.length
  const isCut = values.length > maxValues || hasMore === true || (count ?? 0) > Math.min(values.length, maxValues)
  // Clients refuse all values for a total that is no whole number, such as an estimate.
  const known = Number.isSafeInteger(count) ? count : undefined
  return { values: values.slice(0, maxValues), ...(known === undefined ? {} : { total: known }), hasMore: isCut }
}
