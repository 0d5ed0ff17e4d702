import type { MaybePromise } from '../timing/maybe-promise.js'
import type { FeatureCall } from './feature-call.js'

/**
 * A hook that runs with each call of a feature. Add a hook with the server's option `hooks`, or with `@UseHooks` on a class or
 * method. Each round of a call ends with exactly one of `onCompleted`, `onFailed` and `onInputRequired`.
 */
export interface CallHook {
  /**
   * Runs before the handler, after the arguments were validated. An error or a timeout (`limits.hookTimeoutMs`) rejects the call.
   * The client receives the message of a `ToolError` or a `ProtocolError`, but not the messages of other errors.
   */
  onInvoking?(call: FeatureCall): MaybePromise<void>
  /**
   * Runs around the handler. `next` runs the handler, at most once, and resolves to its return value. The return value of
   * `around` replaces the handler's return value, and is validated.
   *
   * @param next Accepts new arguments for a tool or a prompt, which replace all arguments of the client. Defaults are applied,
   * and the schema and the authorization policies are checked again: `next` rejects if a check fails.
   */
  around?(call: FeatureCall, next: (args?: object) => Promise<unknown>): unknown
  /**
   * Runs after a valid result. An error thrown here is only logged.
   *
   * @param result The return value of the handler, or of the outermost `around` hook.
   */
  onCompleted?(call: FeatureCall, result: unknown, durationMs: number): MaybePromise<void>
  /** Runs after a failure. `failureKindOf(error)` returns the kind of the failure. An error thrown here is only logged. */
  onFailed?(call: FeatureCall, error: Error, durationMs: number): MaybePromise<void>
  /** Runs after a round that ended with requests to the client. An error thrown here is only logged. */
  onInputRequired?(call: FeatureCall, durationMs: number): MaybePromise<void>
}

/** A hook as a class. One instance is created at boot, with injected dependencies. */
// oxlint-disable-next-line typescript/no-explicit-any
export type CallHookClass = new (...args: any[]) => CallHook

export const hookMembers = ['onInvoking', 'around', 'onCompleted', 'onFailed', 'onInputRequired'] as const

export function isCallHook(value: unknown): value is CallHook {
  if (typeof value !== 'object' || value === null) return false
  return hookMembers.some((member) => typeof (value as CallHook)[member] === 'function')
}

/** A hook as an option: an object or a class. */
export type HookReference = CallHook | CallHookClass

export function hookName(hook: HookReference): string {
  if (typeof hook === 'function') return hook.name
  const { name } = hook as { readonly name?: unknown }
  if (typeof name === 'string') return name
  const { constructor } = hook as { readonly constructor?: { readonly name?: unknown } }
  return typeof constructor?.name === 'string' && constructor.name !== 'Object' ? constructor.name : 'hook'
}
