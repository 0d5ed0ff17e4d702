import type { Step } from '../call/call.js'
import { shareNotes } from '../context/call-notes.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import { type ClientLink, detachContext, type McpContext } from '../context/mcp-context.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { ToolPlan } from '../plan/tool-plan.js'
import { BackgroundClientRequester, type BackgroundRun } from './client-requests/background-client-requests.js'
import { type Detached, RequestCall } from './request-call.js'

/** A copy of a call for a handler that continues after the response, or whose result is not sent to the client. */
export class DetachedCall extends RequestCall {
  constructor(
    outer: RequestCall,
    detached: Detached,
    private readonly settle: DetachedEnd,
  ) {
    super(outer.request, outer.exchange, outer.era, outer.facts, detached)
    this.plan = outer.plan
    this.method = outer.method
    this.args = outer.args
    this.uri = outer.uri
    this.featureName = outer.featureName
  }

  override respond(result: string | Buffer): void {
    this.permit?.leave()
    this.settle.resolve(result.toString())
  }

  override fail(error: unknown): void {
    this.permit?.leave()
    this.settle.reject(error)
  }
}

interface DetachedEnd {
  resolve(result: string): void
  reject(error: unknown): void
}

/** A call of a tool that can become a task. The handler of a task runs in the background, and can outlive the request. */
export class DetachableCall {
  readonly #cancellation = new Cancellation()

  constructor(
    private readonly call: RequestCall,
    private readonly next: Step,
  ) {}

  get context(): McpContext {
    return this.call.context
  }

  /** Whether the call must become a task. */
  get isRequired(): boolean {
    return (this.call.plan as ToolPlan).task === 'required'
  }

  /** Whether the handler turns the call into a task, with `context.startTask()`. */
  get startsTask(): boolean {
    return (this.call.plan as ToolPlan).startsTask
  }

  /** Aborts when the background run is cancelled. */
  get signal(): AbortSignal {
    return this.#cancellation.signal
  }

  cancel(reason: string): void {
    this.#cancellation.cancel(new CallCancelled(reason))
  }

  /** Cancels the background run when the request is cancelled. @returns A function that ends this rule. */
  cancelWithRequest(): () => void {
    const { signal } = this.call.cancellation
    const cancel = (): void => this.#cancellation.cancel(signal.reason as Error)
    signal.addEventListener('abort', cancel)
    return () => signal.removeEventListener('abort', cancel)
  }

  /**
   * Runs the rest of the call in the background. After the response of the request, notifications of the handler are dropped.
   *
   * @param startTask Turns the call into a task, for `context.startTask()`; `null` if the call is already a task.
   * @returns The result as JSON. A task rejects with a `ProtocolError`, or with the reason of `signal`. A call that is not a task
   * yet rejects with any error.
   */
  detach(run: BackgroundRun, startTask: (() => Promise<void>) | null): Promise<string> {
    const { call, next } = this
    const { client: own } = call
    const cancellation = this.#cancellation
    const clientRequests = new BackgroundClientRequester(call, run, cancellation, startTask)
    const client: ClientLink = {
      openClientRequester: () => clientRequests,
      notify: (json) => own.notify(json),
      closeStream: () => own.closeStream(),
      get taskId() {
        return run.taskId
      },
    }
    const context = detachContext(call.context, { cancellation, client, isRetry: startTask !== null }, run)
    shareNotes(call.context, context)
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(this.#failureOf(error, run))
      new DetachedCall(call, { context, cancellation }, { resolve, reject: fail }).resume(next)
    })
  }

  #failureOf(error: unknown, { taskId }: BackgroundRun): unknown {
    if (taskId === null || error instanceof ProtocolError || error instanceof CallCancelled) return error
    const { context } = this.call
    const errorId = errorIdOf(context)
    logFailure(context.log, error, { errorId, taskId }, 'a task failed unexpectedly')
    return internalError(errorId)
  }
}
