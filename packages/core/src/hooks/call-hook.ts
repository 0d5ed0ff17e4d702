import type { FeatureCall } from './feature-call.js'

type Awaitable = void | Promise<void>

/**
 * What runs with each call of a feature: `hooks` of the server's options, or `@UseHooks` on a controller or a method.
 * Each round of a call ends with exactly one of `onCompleted`, `onFailed` and `onInputRequired`, on every hook.
 */
export interface CallHook {
  /**
   * Runs before the handler, once the arguments are checked. To refuse the call, throw: the client reads the message of a
   * `ToolError` or a `ProtocolError`, and nothing of any other error. A hook that takes longer than
   * `limits.hookTimeoutMs` also refuses the call.
   */
  onInvoking?(call: FeatureCall): Awaitable
  /**
   * Runs around the handler. `next` runs the handler, at most once, and resolves to what it returned. What this returns
   * becomes the result, and is checked like any other.
   *
   * @param next Takes new arguments for a tool or a prompt, in the place of all those of the client. They get defaults,
   * and the schema and the authorization policies are asked again: `next` rejects when these refuse them.
   */
  around?(call: FeatureCall, next: (args?: object) => Promise<unknown>): unknown
  /**
   * Runs after a result that fits. If it throws, that is logged and changes nothing.
   *
   * @param result What the handler, or what is around it, returned.
   */
  onCompleted?(call: FeatureCall, result: unknown, durationMs: number): Awaitable
  /** Runs after a failure; `failureKindOf(error)` says of what kind. If it throws, that is logged and changes nothing. */
  onFailed?(call: FeatureCall, error: Error, durationMs: number): Awaitable
  /** Runs after a round that ended with questions to the client. If it throws, that is logged and changes nothing. */
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
