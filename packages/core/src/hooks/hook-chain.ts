import type { CallHook } from './call-hook.js'
import type { CalledFeature } from './feature-call.js'
import type { RefusalObservers } from './refusal-observers.js'

/** One method of one hook, bound. */
export interface HookStep<Run> {
  /** Such as `AuditHook.onInvoking`, for the log. */
  readonly name: string
  readonly run: Run
}

/** A list for each moment, in the order in which they run: of `around`, the first is the outermost. */
type HookSteps = {
  readonly [Member in keyof CallHook]-?: readonly HookStep<NonNullable<CallHook[Member]>>[]
}

/** The hooks of one feature, flattened at boot. */
export interface HookChain extends HookSteps {
  readonly feature: CalledFeature
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
  const stepsOf = <Member extends keyof CallHook>(member: Member): HookSteps[Member] =>
    hooks.flatMap(({ name, hook }) => {
      const method = hook[member]
      return typeof method === 'function' ? [{ name: `${name}.${member}`, run: method.bind(hook) as never }] : []
    })
  return Object.freeze({
    feature: Object.freeze(feature),
    onInvoking: stepsOf('onInvoking'),
    around: stepsOf('around'),
    onCompleted: stepsOf('onCompleted'),
    onFailed: stepsOf('onFailed'),
    onInputRequired: stepsOf('onInputRequired'),
    timeoutMs,
    refusals,
  })
}
