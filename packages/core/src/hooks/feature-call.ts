import { type CallNotes, notesOf } from '../context/call-notes.js'
import { clientRequesterOf, type McpContext } from '../context/mcp-context.js'

/** What a method is served as. A template of resources is a resource. */
export type FeatureKind = 'tool' | 'prompt' | 'resource' | 'completion'

/** What is the same in every call of a feature. */
export interface CalledFeature {
  readonly kind: FeatureKind
  readonly name: string
  readonly controller: string | null
  readonly method: string | null
}

/** Replaces the arguments that hooks see from now on. */
export let replaceArguments: (call: FeatureCall, args: unknown) => void

/**
 * One call of a feature, as hooks see it. It has nothing to write to: no hook that assigns to a member changes it for the
 * others, or for the handler. Not frozen, which would cost a call more than all the rest of this: what a hook adds to it,
 * or defines anew, the others see.
 */
export class FeatureCall {
  readonly #feature: CalledFeature
  readonly #uri: string | null
  readonly #round: number
  readonly #context: McpContext
  #args: unknown
  #frozenArgs: unknown = undefined

  constructor(feature: CalledFeature, args: unknown, context: McpContext, uri: string | null) {
    this.#feature = feature
    this.#uri = uri
    this.#round = clientRequesterOf(context)?.round ?? 1
    this.#context = context
    this.#args = args
  }

  get kind(): FeatureKind {
    return this.#feature.kind
  }

  /**
   * The key of the feature in the catalog: the name of a tool or prompt, the URI or URI template of a resource, or
   * `prompt greet: name` for a completion. Never a text that the client wrote.
   */
  get name(): string {
    return this.#feature.name
  }

  /** The class of the handler; `null` for a function that was added at run time. */
  get controller(): string | null {
    return this.#feature.controller
  }

  /** The method of that class. */
  get method(): string | null {
    return this.#feature.method
  }

  /** The URI that is read, as the client sent it; `null` when it is no resource. */
  get uri(): string | null {
    return this.#uri
  }

  /** From 1 on. A call that asks its client runs again with the answers, and so do its hooks. */
  get round(): number {
    return this.#round
  }

  get context(): McpContext {
    return this.#context
  }

  /**
   * A frozen copy of the arguments, as they passed their check; if they did not, as they came. It is made when a hook
   * asks for it the first time, so hooks do not see what the handler changes in its own arguments later. Once an `around`
   * hook has replaced the arguments, all hooks see the new ones.
   */
  get arguments(): unknown {
    this.#frozenArgs ??= frozenCopy(this.#args)
    return this.#frozenArgs
  }

  /** What hooks keep until the next round of the call. */
  get notes(): CallNotes {
    return notesOf(this.#context)
  }

  static {
    replaceArguments = (call, args) => {
      call.#args = args
      call.#frozenArgs = undefined
    }
  }
}

/** Arguments are JSON, and no deeper than `limits.maxDepth`. */
function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy))
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const member = copy[key]
    if (typeof member === 'object') copy[key] = frozenCopy(member)
  }
  return Object.freeze(copy)
}
