import type { CompletionTarget } from '../metadata/types.js'
import type { MaybePromise } from '../timing/maybe-promise.js'
import { decoratorOrClass, isUncalled } from './decorator-diagnostics.js'
import { type Injected, type MethodDecoratorFor, recordMethod } from './record-method.js'

export interface CompletionRequest {
  /** The text typed so far. */
  readonly value: string
  /** Arguments that are already filled in; empty before 2025-06-18. */
  readonly arguments: Readonly<Record<string, string>>
}

/** Completions, best first. At most 100 completions are sent, with `hasMore` if more exist. */
export interface CompletionResult {
  readonly values: readonly string[]
  /** Total number of completions, if known. */
  readonly total?: number
  /**
   * Whether more completions exist. Default: `true` when `total` is larger than the number of `values`, or when the method
   * returned more than 100 completions.
   */
  readonly hasMore?: boolean
}

/** The return value of a completion method. A plain array is treated as the complete list of completions. */
export type CompletionReturned = readonly string[] | CompletionResult

/** A method that `@McpCompletion` accepts: the request first, then injected parameters. */
export type CompletionMethod = (request: CompletionRequest, ...injected: Injected) => MaybePromise<CompletionReturned>

const decorator = { call: "@McpCompletion({ prompt: 'greet', argument: 'name' })", isForFeatures: true }

/**
 * Completes an argument of a prompt or a variable of a resource template:
 * `@McpCompletion({ prompt: 'greet', argument: 'name' })`, `@McpCompletion({ resource: 'users://{id}', argument: 'id' })`.
 */
export function McpCompletion(target: CompletionTarget): MethodDecoratorFor<CompletionMethod>
export function McpCompletion(target: CompletionTarget, second?: unknown): MethodDecoratorFor<CompletionMethod> {
  if (isUncalled(decorator, target, second)) return undefined as never
  return decoratorOrClass(target, decorator, (prototype, method) =>
    recordMethod(prototype, method, { kind: 'completion', target }),
  )
}
