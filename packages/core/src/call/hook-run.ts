import { performance } from 'node:perf_hooks'
import { InputRequired } from '../client-requests/input-required.js'
import { ToolError } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { FeatureCall } from '../hooks/feature-call.js'
import { reasonOf } from '../hooks/hidden-refusals.js'
import type { HookChain } from '../hooks/hook-chain.js'
import { runObservers } from '../hooks/run-observers.js'
import type { RunningCall } from './running-call.js'

/** One call of a feature with hooks: how it ended, as they are told. */
export class HookRun {
  // Not by the global `performance`: that is a getter, and takes some 30 ns more.
  readonly #began = performance.now()
  #feature: FeatureCall | null = null
  #returned: unknown = undefined
  /** `null` as long as nothing failed. */
  #failure: Error | null = null

  /** @param uri The resource that is read; `null` for other features. */
  constructor(
    private readonly chain: HookChain,
    private readonly args: unknown,
    private readonly call: RunningCall,
    private readonly uri: string | null,
  ) {}

  /** Made late: only then its round is known. */
  get feature(): FeatureCall {
    this.#feature ??= new FeatureCall(this.chain.feature, this.args, this.call.context, this.uri)
    return this.#feature
  }

  /** @param encoded What became of it, which may tell of an error all the same. */
  returned(returned: unknown, encoded: unknown): void {
    this.#returned = returned
    this.#failure = errorIn(encoded)
  }

  /** Whatever a handler that was stopped made of it: it failed because it was stopped. */
  failed(error: Error): void {
    const { reason } = this.call.cancellation
    const isOwn = error instanceof ToolError || error instanceof ProtocolError || error instanceof InputRequired
    this.#failure = reason === null || isOwn ? reasonOf(error) : reason
  }

  /** Tells the hooks. @returns `null` when there is nothing to wait for. Never throws, never rejects. */
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

/**
 * Runs the hooks of a call that was rejected before any of them ran. The answer does not wait for them; their number is limited.
 */
export function observeRefusal(
  chain: HookChain,
  args: unknown,
  call: RunningCall,
  error: Error,
  uri: string | null = null,
): void {
  chain.refusals.run(() => {
    const hookRun = new HookRun(chain, args, call, uri)
    hookRun.failed(error)
    return hookRun.observe()
  })
}

/** A tool's result that tells the model of an error is a failure, thrown or not. */
function errorIn(encoded: unknown): ToolError | null {
  const { isError, content } = encoded as { readonly isError?: boolean; readonly content?: unknown }
  if (isError !== true) return null
  const [first] = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return new ToolError(typeof first?.text === 'string' ? first.text : 'The tool answered with an error.')
}
