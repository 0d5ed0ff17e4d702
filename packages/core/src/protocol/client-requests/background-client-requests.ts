import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  type InputRequest,
  InvalidClientAnswer,
  InvalidClientRequest,
  type RepeatableRound,
} from '../../client-requests/client-request.js'
import { InputRequired } from '../../client-requests/input-required.js'
import { Steps } from '../../client-requests/steps.js'
import { CallCancelled, type Cancellation } from '../../context/cancellation.js'
import { openClientRequester } from '../../context/mcp-context.js'
import type { ProgressListener } from '../../context/progress.js'
import { ClientRequestError } from '../../errors/client-request-errors.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { RequestCall } from '../request-call.js'
import { checkDeclared } from './client-capabilities.js'
import { encodeClientRequest } from './encode-client-request.js'

/** A handler in the background: receives its progress and its client requests. */
export interface BackgroundRun extends ProgressListener {
  /** Id of the task; `null` until the call is a task. */
  readonly taskId: string | null
  ask(key: string, request: InputRequest): Promise<unknown>
  /** Called when the handler has ended. @param reason Error with which pending client requests must reject. */
  handlerEnded(reason: Error): void
}

/** Maximum number of attempts for one request: the request is repeated after an invalid answer. */
const maxAttempts = 10

/** Sends client requests through the background run. The handler runs only one time: it waits for the answers. */
export class BackgroundClientRequester implements ClientRequester {
  readonly #keys = new ClientRequestKeys()
  readonly #steps = new Steps()

  /**
   * @param call The request that the run belongs to.
   * @param becomeTask Turns the call into a task; `null` if the call is a task from the start.
   */
  constructor(
    private readonly call: RequestCall,
    private readonly run: BackgroundRun,
    private readonly cancellation: Cancellation,
    private readonly becomeTask: (() => Promise<void>) | null,
  ) {}

  get inputResponses(): JsonObject {
    return this.#requestSender?.inputResponses ?? {}
  }

  get requestState(): unknown {
    return this.#requestSender?.requestState
  }

  get round(): number {
    return this.#requestSender?.round ?? 1
  }

  get notes(): Readonly<Record<string, string>> {
    return this.#requestSender?.notes ?? {}
  }

  get repeatable(): RepeatableRound | null {
    return this.#requestSender?.repeatable ?? null
  }

  ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const before = this.#beforeTask
    return before === null ? this.#askOnTask(clientRequest) : before.ask(clientRequest)
  }

  step<Result>(name: string, run: () => MaybePromise<Result>): Promise<Result> {
    // The call's requester runs all steps, even after the task has started: step names must be unique within one run of the
    // handler.
    const before = this.#requestSender
    return before === null ? this.#steps.run(name, run) : before.step(name, run)
  }

  async startTask(): Promise<void> {
    await this.becomeTask?.()
  }

  async end(error: unknown): Promise<unknown> {
    const before = this.#beforeTask
    if (before !== null) return before.end(error)
    this.run.handlerEnded(this.cancellation.reason ?? new CallCancelled('the call ended'))
    if (!(error instanceof InputRequired)) return error
    return new InvalidClientRequest(
      'The handler of a task runs only once, so it cannot use inputRequired. Use context.elicit, context.sample or context.listRoots.',
    )
  }

  get #requestSender(): ClientRequester | null {
    return this.becomeTask === null ? null : openClientRequester(this.call.context)
  }

  get #beforeTask(): ClientRequester | null {
    return this.run.taskId === null ? this.#requestSender : null
  }

  async #askOnTask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const { context, revision } = this.call
    checkDeclared([clientRequest.request], context.clientCapabilities, revision)
    const encoded = encodeClientRequest(clientRequest.request, revision)
    const key = this.#keys.take(clientRequest.key)
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      // A task must not use the same key twice.
      const ownKey = attempt === 1 ? key : this.#keys.take(`${key}_${attempt}`)
      // oxlint-disable-next-line no-await-in-loop
      const answer = await this.#askRun(ownKey, encoded)
      try {
        // oxlint-disable-next-line no-await-in-loop
        return await clientRequest.read(answer)
      } catch (error) {
        if (!(error instanceof InvalidClientAnswer)) throw error
      }
    }
    throw new ClientRequestError(`The client gave no valid answer to ${clientRequest.request.method}.`)
  }

  async #askRun(key: string, request: InputRequest): Promise<unknown> {
    const { cancellation } = this
    cancellation.signal.throwIfAborted()
    // The user's time to answer does not count toward the handler's time limit.
    cancellation.pause()
    try {
      return await this.run.ask(key, request)
    } finally {
      cancellation.resume()
    }
  }
}
