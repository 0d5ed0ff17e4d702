import type { CallHook } from './call-hook.js'
import type { CalledFeature } from './feature-call.js'
import type { RejectionObservers } from './rejection-observers.js'

export interface HookStep<Run> {
  readonly name: string
  readonly run: Run
}

type HookSteps = {
  readonly [Member in keyof CallHook]-?: readonly HookStep<NonNullable<CallHook[Member]>>[]
}

export interface HookChain extends HookSteps {
  readonly feature: CalledFeature
  /** Timeout of one hook in milliseconds. All hooks that run after the call share one timeout of this length. */
  readonly timeoutMs: number
  readonly rejections: RejectionObservers
}

export interface NamedHook {
  readonly name: string
  readonly hook: CallHook
}

export function createHookChain(
  feature: CalledFeature,
  hooks: readonly NamedHook[],
  timeoutMs: number,
  rejections: RejectionObservers,
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
    rejections,
  })
}
