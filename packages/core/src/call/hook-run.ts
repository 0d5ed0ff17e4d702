import { performance } from 'node:perf_hooks'
import { InputRequired } from '../client-requests/input-required.js'
import type { Cancellation } from '../context/cancellation.js'
import type { McpContext } from '../context/mcp-context.js'
import { ToolError } from '../errors/call-errors.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { toError } from '../errors/to-error.js'
import { FeatureCall } from '../hooks/feature-call.js'
import { reasonOf } from '../hooks/hidden-rejections.js'
import type { HookChain, HookStep } from '../hooks/hook-chain.js'
import { isPromiseLike, withTimeout } from '../timing/with-timeout.js'
import type { Call } from './call.js'

export class HookRun {
  // `performance` is imported: reading the global takes some 30 ns more, because it is a getter.
  readonly #began = performance.now()
  #feature: FeatureCall | null = null
  #returned: unknown = undefined
  #failure: Error | null = null

  constructor(
    readonly chain: HookChain,
    protected readonly call: Call,
    private readonly args: unknown,
  ) {}

  get cancellation(): Cancellation {
    return this.call.cancellation
  }

  get feature(): FeatureCall {
    this.#feature ??= new FeatureCall(this.chain.feature, this.args, this.call.context, this.call.uri)
    return this.#feature
  }

  /** @param encoded The encoded result. A tool result with `isError` is treated as a failure. */
  returned(returned: unknown, encoded: unknown): void {
    this.#returned = returned
    this.#failure = errorIn(encoded)
  }

  failed(error: Error): void {
    const { reason } = this.cancellation
    const isOwn = error instanceof ToolError || error instanceof ProtocolError || error instanceof InputRequired
    this.#failure = reason === null || isOwn ? reasonOf(error) : reason
  }

  repeated(asksClient: boolean): void {
    this.#failure = asksClient ? new InputRequired({}) : null
  }

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

/** Runs the hooks of a call that was rejected before any hook ran. The response does not wait for these hooks. */
export function observeRejection(chain: HookChain, args: unknown, call: Call, error: Error): void {
  chain.rejections.run(() => {
    const hookRun = new HookRun(chain, call, args)
    hookRun.failed(error)
    return hookRun.observe()
  })
}

function errorIn(encoded: unknown): ToolError | null {
  const { isError, content } = encoded as { readonly isError?: boolean; readonly content?: unknown }
  if (isError !== true) return null
  const [first] = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : []
  return new ToolError(typeof first?.text === 'string' ? first.text : 'The tool returned an error.')
}

/**
 * Runs the hooks that observe the end of a call, in order. Awaits each hook before the next starts. All hooks share one timeout.
 * After the timeout, the remaining hooks start without waiting, so that they do not delay the answer.
 *
 * @returns `null` when there is nothing to await. Errors are logged: never throws, never rejects.
 */
function runObservers<Run>(
  steps: readonly HookStep<Run>[],
  start: (run: Run) => unknown,
  timeoutMs: number,
  context: McpContext,
): Promise<void> | null {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as HookStep<Run>
    const returned = begin(step, start, context)
    if (returned === null) continue
    const deadline = performance.now() + timeoutMs
    const rest = steps.slice(index + 1)
    return end(returned, step.name, timeoutMs, context).then(
      () => runObservers(rest, start, deadline - performance.now(), context) ?? undefined,
    )
  }
  return null
}

function begin<Run>({ name, run }: HookStep<Run>, start: (run: Run) => unknown, context: McpContext) {
  try {
    const returned = start(run)
    return isPromiseLike(returned) ? returned : null
  } catch (thrown) {
    report(name, thrown, context)
    return null
  }
}

async function end(returned: PromiseLike<unknown>, name: string, leftMs: number, context: McpContext): Promise<void> {
  try {
    await withTimeout(returned, leftMs)
  } catch (thrown) {
    report(name, thrown, context)
  }
}

function report(hook: string, thrown: unknown, context: McpContext): void {
  logFailure(context.log, toError(thrown), { hook }, 'a hook failed after its call')
}
