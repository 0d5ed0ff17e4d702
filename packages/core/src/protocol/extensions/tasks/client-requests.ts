import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  InvalidClientAnswer,
  InvalidClientRequest,
} from '../../../client-requests/client-request.js'
import { InputRequired } from '../../../client-requests/input-required.js'
import { Steps } from '../../../client-requests/steps.js'
import { ClientRequestError } from '../../../errors/client-request-errors.js'
import type { JsonObject } from '../../../rpc/messages.js'
import type { MaybePromise } from '../../../timing/maybe-promise.js'
import { checkDeclared } from '../../client-capabilities.js'
import { encodeClientRequest } from '../../encode-client-request.js'
import type { Revision } from '../../revisions.js'
import type { TaskRun } from './task-run.js'

/** Maximum number of invalid answers that a client may give to one request. */
const maxAttempts = 10

interface TaskClientRequesterInit {
  readonly run: TaskRun
  /** Sender before the call becomes a task; `null` if it is a task from the start. */
  readonly before: (() => ClientRequester) | null
  /** Capabilities from the request that started the task. */
  readonly clientCapabilities: JsonObject
  readonly revision: Revision
  readonly startTask: () => Promise<void>
}

/** Sends client requests through the task's `inputRequests`. The handler waits, and is never run again. */
export class TaskClientRequester implements ClientRequester {
  readonly #keys = new ClientRequestKeys()
  readonly #steps = new Steps()

  constructor(private readonly init: TaskClientRequesterInit) {}

  get inputResponses(): JsonObject {
    return this.init.before?.().inputResponses ?? {}
  }

  get requestState(): unknown {
    return this.init.before?.().requestState
  }

  get round(): number {
    return this.init.before?.().round ?? 1
  }

  get notes(): Readonly<Record<string, string>> {
    return this.init.before?.().notes ?? {}
  }

  ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const before = this.#before()
    return before === null ? this.#askOnTask(clientRequest) : before.ask(clientRequest)
  }

  step<Result>(name: string, run: () => MaybePromise<Result>): Promise<Result> {
    // Names stay taken when the call becomes a task: a step name is unique within the whole run of the handler.
    const before = this.init.before?.()
    return before === undefined ? this.#steps.run(name, run) : before.step(name, run)
  }

  startTask(): Promise<void> {
    return this.init.startTask()
  }

  async end(error: unknown): Promise<unknown> {
    const before = this.#before()
    if (before !== null) return before.end(error)
    this.init.run.giveUpClientRequests()
    if (!(error instanceof InputRequired)) return error
    return new InvalidClientRequest(
      'A task is never run again, so it cannot use inputRequired. Use context.elicit, context.sample or context.listRoots.',
    )
  }

  #before(): ClientRequester | null {
    const { before, run } = this.init
    return before === null || run.task !== null ? null : before()
  }

  async #askOnTask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const { run, clientCapabilities, revision } = this.init
    checkDeclared([clientRequest.request], clientCapabilities, revision)
    const encoded = encodeClientRequest(clientRequest.request, revision)
    const key = this.#keys.take(clientRequest.key)
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      // A task may use a key only once.
      const ownKey = attempt === 1 ? key : this.#keys.take(`${key}_${attempt}`)
      // oxlint-disable-next-line no-await-in-loop
      const answer = await run.ask(ownKey, encoded)
      try {
        return clientRequest.read(answer)
      } catch (error) {
        if (!(error instanceof InvalidClientAnswer)) throw error
      }
    }
    throw new ClientRequestError(`The client gave no valid answer to ${clientRequest.request.method}.`)
  }
}
