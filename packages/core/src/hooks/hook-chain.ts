import type { CallHook } from './call-hook.js'
import type { CalledFeature, FeatureCall } from './feature-call.js'
import type { RefusalObservers } from './refusal-observers.js'

/** One method of one hook, bound. */
export interface HookStep<Run> {
  /** Such as `AuditHook.onInvoking`, for the log. */
  readonly name: string
  readonly run: Run
}

export type OnInvoking = (call: FeatureCall) => unknown
export type Around = (call: FeatureCall, next: () => Promise<unknown>) => unknown
export type OnCompleted = (call: FeatureCall, result: unknown, durationMs: number) => unknown
export type OnFailed = (call: FeatureCall, error: Error, durationMs: number) => unknown
export type OnInputRequired = (call: FeatureCall, durationMs: number) => unknown

/** The hooks of one feature, flattened at boot: a list for each moment, in the order in which they run. */
export interface HookChain {
  readonly feature: CalledFeature
  readonly onInvoking: readonly HookStep<OnInvoking>[]
  /** The first is the outermost. */
  readonly around: readonly HookStep<Around>[]
  readonly onCompleted: readonly HookStep<OnCompleted>[]
  readonly onFailed: readonly HookStep<OnFailed>[]
  readonly onInputRequired: readonly HookStep<OnInputRequired>[]
  /** Milliseconds for one hook to settle, and for all that run after the call together. */
  readonly timeoutMs: number
  /** Bounds what is not waited for: the same for all features of a server. */
  readonly refusals: RefusalObservers
}

/** A hook and what messages call it. */
export interface NamedHook {
  readonly name: string
  readonly hook: CallHook
}

export function createHookChain(
  feature: CalledFeature,
  hooks: readonly NamedHook[],
  timeoutMs: number,
  refusals: RefusalObservers,
): HookChain {
  const stepsOf = <Run>(member: keyof CallHook): readonly HookStep<Run>[] =>
    hooks.flatMap(({ name, hook }) => {
      const method = hook[member]
      return typeof method === 'function' ? [{ name: `${name}.${member}`, run: method.bind(hook) as Run }] : []
    })
  return Object.freeze({
    feature: Object.freeze(feature),
    onInvoking: stepsOf<OnInvoking>('onInvoking'),
    around: stepsOf<Around>('around'),
    onCompleted: stepsOf<OnCompleted>('onCompleted'),
    onFailed: stepsOf<OnFailed>('onFailed'),
    onInputRequired: stepsOf<OnInputRequired>('onInputRequired'),
    timeoutMs,
    refusals,
  })
}
