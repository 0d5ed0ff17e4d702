import type { Runnable } from '../catalog/definitions.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import type { HookChain } from '../hooks/hook-chain.js'
import type { CompiledSchema } from '../schema/compiled-schema.js'
import { type Bindings, bindHandler, type Handler } from './bind-handler.js'
import { compileGuard, type Guard } from './guard.js'

/** What plans of all kinds have. */
export interface FeaturePlan {
  /** For messages: `Tool 'count'`. */
  readonly what: string
  /** `null`: everybody may use it; a completion, everybody who may use what it completes. */
  readonly guard: Guard | null
  readonly handler: Handler
  /** Of the arguments; `null`: nothing to check. */
  readonly input: CompiledSchema | null
  /** `null`: none. */
  readonly hooks: HookChain | null
  /** Milliseconds; `Infinity` for what may take for ever. */
  readonly timeoutMs: number
}

const titles: Readonly<Record<FeatureKind, string>> = {
  tool: 'Tool',
  prompt: 'Prompt',
  resource: 'Resource',
  completion: 'Completion of',
}

/**
 * @param name What the catalog has it under.
 * @throws ConstructorFailure
 */
export function compileFeature(
  kind: FeatureKind,
  name: string,
  feature: Runnable,
  bindings: Bindings,
  timeoutMs: number,
  maxResultBytes = bindings.maxResultBytes,
): Omit<FeaturePlan, 'input'> {
  const what = `${titles[kind]} '${name}'`
  const { oversizedResults, log } = bindings
  return {
    what,
    guard: compileGuard({ kind, name }, feature, bindings),
    handler: bindHandler(feature, bindings, { what, maxResultBytes, oversizedResults, log }),
    hooks: bindings.hooks.bind(kind, name, feature),
    timeoutMs,
  }
}
