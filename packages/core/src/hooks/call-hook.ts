import type { FeatureCall } from './feature-call.js'

type Awaitable = void | Promise<void>

/**
 * What runs with each call of a feature: `hooks` of the server's options, or `@UseHooks` on a controller or a method.
 * Each round of a call ends with exactly one of `onCompleted`, `onFailed` and `onInputRequired`, on every hook.
 */
export interface CallHook {
  /**
   * Before the handler, once the arguments are checked. Throwing refuses the call: a `ToolError` or `ProtocolError` with
   * its message, anything else without it. So does not settling within `limits.hookTimeoutMs`.
   */
  onInvoking?(call: FeatureCall): Awaitable
  /**
   * Around the handler. `next` runs it, once at most, and what it returned is the value that `next` resolves to. What
   * this returns is the result instead, and is checked like any other.
   */
  around?(call: FeatureCall, next: () => Promise<unknown>): unknown
  /**
   * After a result that fits. What is thrown is logged.
   *
   * @param result What the handler, or what is around it, returned.
   */
  onCompleted?(call: FeatureCall, result: unknown, durationMs: number): Awaitable
  /** After a failure: `failureKindOf` says of what kind. What is thrown is logged. */
  onFailed?(call: FeatureCall, error: Error, durationMs: number): Awaitable
  /** After a round that ended with questions to the client. What is thrown is logged. */
  onInputRequired?(call: FeatureCall, durationMs: number): Awaitable
}

/** A class whose one instance is made at boot, with what it has injected. */
// oxlint-disable-next-line typescript/no-explicit-any
export type CallHookClass = new (...args: any[]) => CallHook

export const hookMembers = ['onInvoking', 'around', 'onCompleted', 'onFailed', 'onInputRequired'] as const

/** Whether something has a member that a hook has. */
export function isCallHook(value: unknown): value is CallHook {
  if (typeof value !== 'object' || value === null) return false
  return hookMembers.some((member) => typeof (value as CallHook)[member] === 'function')
}

/** A hook as it is given: an object, or a class to make one of. */
export type HookReference = CallHook | CallHookClass

/** What messages call a hook: its class, or the `name` that a plain object gives itself. */
export function hookName(hook: HookReference): string {
  if (typeof hook === 'function') return hook.name
  const { name } = hook as { readonly name?: unknown }
  if (typeof name === 'string') return name
  const { constructor } = hook as { readonly constructor?: { readonly name?: unknown } }
  return typeof constructor?.name === 'string' && constructor.name !== 'Object' ? constructor.name : 'hook'
}
