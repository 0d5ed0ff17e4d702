import type { CompletionTarget } from '../metadata/types.js'
import type { Injected, MethodDecoratorFor } from './injected.js'
import { recordMethod, requireCall, requireCallOnClass } from './record-method.js'

/** What a client wants completed. */
export interface CompletionRequest {
  /** What has been typed so far. */
  readonly value: string
  /** Arguments that are already filled in; empty before 2025-06-18. */
  readonly arguments: Readonly<Record<string, string>>
}

/** Completions, best first. At most 100 of them are sent; the client is told when there are more. */
export interface CompletionResult {
  readonly values: readonly string[]
  /** How many there are in all, when it is known. */
  readonly total?: number
  readonly hasMore?: boolean
}

export type CompletionReturned = readonly string[] | CompletionResult

export type CompletionMethod = (
  request: CompletionRequest,
  ...injected: Injected
) => CompletionReturned | Promise<CompletionReturned>

const call = "@McpCompletion({ prompt: 'greet', argument: 'name' })"

/**
 * Completes an argument of a prompt, `@McpCompletion({ prompt: 'greet', argument: 'name' })`, or a variable of a
 * resource template, `@McpCompletion({ resource: 'users://{id}', argument: 'id' })`.
 */
export function McpCompletion(target: CompletionTarget): MethodDecoratorFor<CompletionMethod>
export function McpCompletion(target: CompletionTarget, second?: unknown): MethodDecoratorFor<CompletionMethod> {
  requireCall(call, target, second)
  requireCallOnClass(call, target, ' on a method')
  return (prototype, method) => recordMethod(prototype, method, { kind: 'completion', target })
}
