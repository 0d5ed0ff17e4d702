import type { Step } from '../call/call.js'
import type { ClientRequester } from '../client-requests/client-request.js'
import { shareNotes } from '../context/call-notes.js'
import type { Cancellation } from '../context/cancellation.js'
import { type ClientLink, detachContext } from '../context/mcp-context.js'
import type { ProgressListener } from '../context/progress.js'
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

interface Detachment {
  readonly cancellation: Cancellation
  readonly clientRequests: ClientRequester
  readonly progress: ProgressListener
  readonly taskId: () => string | null
  /** Whether the answers of a retry belong to the handler. */
  readonly isRetry: boolean
}

/**
 * Runs the rest of a plan with a handler that can continue after the response of its call. From then on, notifications of the
 * handler are dropped.
 *
 * @returns The result as JSON, which is not sent to the client. Rejects with the error of the detached call.
 */
export function runDetached(
  call: RequestCall,
  next: Step,
  { cancellation, clientRequests, progress, taskId, isRetry }: Detachment,
): Promise<string> {
  const { client: own } = call
  const client: ClientLink = {
    openClientRequester: () => clientRequests,
    notify: (json) => own.notify(json),
    closeStream: () => own.closeStream(),
    get taskId() {
      return taskId()
    },
  }
  const context = detachContext(call.context, { cancellation, client, isRetry }, progress)
  shareNotes(call.context, context)
  return new Promise((resolve, reject) => {
    new DetachedCall(call, { context, cancellation }, { resolve, reject }).resume(next)
  })
}
