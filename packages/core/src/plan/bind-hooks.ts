import type { MountedParts, Runnable } from '../catalog/definitions.js'
import type { DependencyGraph } from '../catalog/injection/dependency-graph.js'
import type { AppContainer } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { type CallHook, type HookReference, hookMembers, hookName, isCallHook } from '../hooks/call-hook.js'
import type { FeatureKind } from '../hooks/feature-call.js'
import { createHookChain, type HookChain, type NamedHook } from '../hooks/hook-chain.js'
import type { RejectionObservers } from '../hooks/rejection-observers.js'
import { makeAtBoot, reportFailedConstructor } from './make-at-boot.js'

interface HookBinderInit {
  readonly container: AppContainer
  readonly graph: DependencyGraph
  readonly hooks: readonly HookReference[]
  readonly timeoutMs: number
  readonly rejections: RejectionObservers
  readonly diagnostics: Diagnostics
}

export class HookBinder {
  readonly #mounted = new Map<MountedParts, HookBinder>()
  readonly #made = new Map<HookReference, NamedHook | null>()

  constructor(private readonly init: HookBinderInit) {
    // Hooks are created even if there are no features: a hook that fails must be reported at boot, not when the first feature is
    // added.
    for (const hook of init.hooks) this.#make(hook)
  }

  bind(kind: FeatureKind, name: string, { source, hooks, mounted }: Runnable): HookChain | null {
    const named = this.#named(mounted === undefined ? [...this.init.hooks, ...hooks] : this.init.hooks)
    if (mounted !== undefined) {
      // An object that is a hook of both the server and the mounted options runs once.
      const outer = new Set(named.map(({ hook }) => hook))
      const inner = this.#ofMounted(mounted).#named([...mounted.hooks, ...hooks])
      named.push(...inner.filter(({ hook }) => !outer.has(hook)))
    }
    if (named.length === 0) return null
    const isMethod = source.kind === 'method'
    const controller = isMethod ? source.controller.name : null
    const method = isMethod ? String(source.method) : null
    const { timeoutMs, rejections } = this.init
    return createHookChain({ kind, name, controller, method }, named, timeoutMs, rejections)
  }

  #ofMounted(mounted: MountedParts): HookBinder {
    const known = this.#mounted.get(mounted)
    if (known !== undefined) return known
    const { container, graph, hooks } = mounted
    const created = new HookBinder({ ...this.init, container, graph, hooks })
    this.#mounted.set(mounted, created)
    return created
  }

  /** Creates hooks. Removes duplicates: a metrics hook that is registered twice must not count each call twice. */
  #named(references: Iterable<HookReference>): NamedHook[] {
    return [...new Set(references)].map((reference) => this.#make(reference)).filter((hook) => hook !== null)
  }

  #make(reference: HookReference): NamedHook | null {
    const known = this.#made.get(reference)
    if (known !== undefined) return known
    const made = typeof reference === 'function' ? this.#resolve(reference as InjectionToken) : reference
    const hook = made === null ? null : { name: hookName(reference), hook: made }
    // Hook objects are not cached: a cache would retain the hook objects of removed features.
    if (typeof reference === 'function') this.#made.set(reference, hook)
    return hook
  }

  #resolve(token: InjectionToken): CallHook | null {
    const { diagnostics } = this.init
    try {
      const hook = makeAtBoot(token, this.init)
      if (isCallHook(hook)) return hook
      diagnostics.add(
        'bad-hook',
        `${describeValue(token)} is not a hook. Add one of the methods ${hookMembers.join(', ')}.`,
      )
    } catch (error) {
      reportFailedConstructor(error, diagnostics)
    }
    return null
  }
}
