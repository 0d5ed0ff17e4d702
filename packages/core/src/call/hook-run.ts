import { performance } from 'node:perf_hooks'
import { InputRequired } from '../client-requests/input-required.js'
import type { Cancellation } from '../context/cancellation.js'
import { ToolError } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { FeatureCall } from '../hooks/feature-call.js'
import { reasonOf } from '../hooks/hidden-refusals.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { runObservers } from '../hooks/run-observers.js'
import { latestCall } from '../util/keep-fast.js'
import type { Call } from './call.js'

/** The hooks of one call that observe its end. */
export class HookRun {
  // Imported, because the global `performance` is a getter that takes some 30 ns more.
  readonly #began = performance.now()
  #feature: FeatureCall | null = null
  #returned: unknown = undefined
  /** `null` as long as nothing failed. */
  #failure: Error | null = null

  /** @param args As the hooks see them. */
  constructor(
    readonly chain: HookChain,
    protected readonly call: Call,
    private readonly args: unknown,
    private readonly uri: string | null,
  ) {
    latestCall.hookRun = this
  }

  get cancellation(): Cancellation {
    return this.call.cancellation
  }

  /** Created late: the round of the call is known only then. */
  get feature(): FeatureCall {
    this.#feature ??= new FeatureCall(this.chain.feature, this.args, this.call.context, this.uri)
    return this.#feature
  }

  /** @param encoded The encoded value, which may be an error all the same. */
  returned(returned: unknown, encoded: unknown): void {
    this.#returned = returned
    this.#failure = errorIn(encoded)
  }

  /** A handler that was stopped failed because it was stopped, whatever error it made of that. */
  failed(error: Error): void {
    const { reason } = this.cancellation
    const isOwn = error instanceof ToolError || error instanceof ProtocolError || error instanceof InputRequired
    this.#failure = reason === null || isOwn ? reasonOf(error) : reason
  }

  /** Runs the hooks that observe the end. Never throws, never rejects. @returns `null` when there is nothing to wait for. */
  observe(): Promise<void> | null {
    const { feature, chain } = this
    const durationMs = performance.now() - this.#began
    const { timeoutMs } = chain
    const { context } = this.call
    const failure = this.#failure
    if (failure === null) {
      return runObservers(chain.onCompleted, (run) => run(feature, this.#returned, durationMs), timeoutMs, context)
    }
    if (failure instanceof InputRequired) {
      return runObservers(chain.onInputRequired, (run) => run(feature, durationMs), timeoutMs, context)
    }
    return runObservers(chain.onFailed, (run) => run(feature, failure, durationMs), timeoutMs, context)
  }
}

/** Runs the hooks of a call that was rejected before any of them ran. The answer does not wait for them. */
export function observeRejection(
  chain: HookChain,
  args: unknown,
  call: Call,
  error: Error,
  uri: string | null = null,
): void {
  chain.refusals.run(() => {
    const hookRun = new HookRun(chain, call, args, uri)
    hookRun.failed(error)
    return hookRun.observe()
  })
}

/** A tool's result that reports an error to the model is a failure, thrown or not. */
function errorIn(encoded: unknown): ToolError | null {
  const { isError, content } = encoded as { readonly isError?: boolean; readonly content?: unknown }
  if (isError !== true) return null
  const [first] = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return new ToolError(typeof first?.text === 'string' ? first.text : 'The tool answered with an error.')
}
