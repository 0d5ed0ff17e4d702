import type { CompletionTarget } from '../metadata/types.js'
import { isUncalled, standInFor } from './decorator-diagnostics.js'
import { type Injected, type MethodDecoratorFor, recordMethod } from './record-method.js'

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
  /** Whether there are more than these. Default: where `total` says so, or some were cut off. */
  readonly hasMore?: boolean
}

/** What a completer may return. A list is all there are. */
export type CompletionReturned = readonly string[] | CompletionResult

/** The methods that complete: the request first, then whatever is injected. */
export type CompletionMethod = (
  request: CompletionRequest,
  ...injected: Injected
) => CompletionReturned | Promise<CompletionReturned>

const decorator = { call: "@McpCompletion({ prompt: 'greet', argument: 'name' })", isForFeatures: true }

/**
 * Completes an argument of a prompt, `@McpCompletion({ prompt: 'greet', argument: 'name' })`, or a variable of a
 * resource template, `@McpCompletion({ resource: 'users://{id}', argument: 'id' })`.
 */
export function McpCompletion(target: CompletionTarget): MethodDecoratorFor<CompletionMethod>
export function McpCompletion(target: CompletionTarget, second?: unknown): MethodDecoratorFor<CompletionMethod> {
  if (isUncalled(decorator, target, second)) return undefined as never
  return standInFor(target, decorator, (prototype, method) =>
    recordMethod(prototype, method, { kind: 'completion', target }),
  )
}
