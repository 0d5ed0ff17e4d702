import { type CallNotes, notesOf } from '../context/call-notes.js'
import { clientRequesterOf, type McpContext } from '../context/mcp-context.js'
import { isPlainObject } from '../util/is-plain-object.js'

/** The kind of a feature. A resource template has the kind `resource`. */
export type FeatureKind = 'tool' | 'prompt' | 'resource' | 'completion'

export interface CalledFeature {
  readonly kind: FeatureKind
  readonly name: string
  readonly controller: string | null
  readonly method: string | null
}

export let replaceArguments: (call: FeatureCall, args: unknown) => void

/**
 * One call of a feature, as hooks see it. The members have no setters, so that a hook cannot change them for other hooks or for
 * the handler. The object is not frozen, because freezing takes longer than the rest of this class. Therefore, if a hook adds or
 * redefines a member, the other hooks see the change.
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
   * `prompt greet: name` for a completion. Never contains text that the client sent.
   */
  get name(): string {
    return this.#feature.name
  }

  /** The name of the handler's class; `null` for a function that was added at run time. */
  get controller(): string | null {
    return this.#feature.controller
  }

  /** The name of the handler's method; `null` for a function that was added at run time. */
  get method(): string | null {
    return this.#feature.method
  }

  /** The requested URI, as the client sent it; `null` for features that are not resources. */
  get uri(): string | null {
    return this.#uri
  }

  /** Number of the round, from 1. A call with client requests runs again, with its hooks, after the client has answered. */
  get round(): number {
    return this.#round
  }

  /**
   * Whether the client has sent a round again that was already answered. The client gets the stored response: the handler and the
   * `around` hooks do not run.
   */
  get isRepeated(): boolean {
    const response = clientRequesterOf(this.#context)?.repeatable?.response ?? null
    return response !== null
  }

  get context(): McpContext {
    return this.#context
  }

  /**
   * A frozen copy of the validated arguments, or of the received arguments if they are invalid. The copy is created on first
   * access, and does not show later changes by the handler. After an `around` hook has replaced the arguments, all hooks see the
   * new arguments.
   */
  get arguments(): unknown {
    this.#frozenArgs ??= frozenArguments(this.#args)
    return this.#frozenArgs
  }

  /** Notes that hooks store for the next round of the call. */
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

/**
 * Copies and freezes arguments. Most arguments are JSON, and no deeper than `limits.maxDepth`. A schema can transform arguments to
 * values with cycles, which stay unfrozen.
 */
function frozenArguments(args: unknown): unknown {
  try {
    return frozenCopy(args)
  } catch (error) {
    if (error instanceof RangeError) return args
    throw error
  }
}

function frozenCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy))
  // Objects of a class, such as a date, stay as they are: a schema can create such objects.
  if (!isPlainObject(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const member = copy[key]
    if (typeof member === 'object') copy[key] = frozenCopy(member)
  }
  return Object.freeze(copy)
}
