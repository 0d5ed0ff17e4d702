import type { ElicitRequest, ElicitResult, ElicitUrlResult } from '../../client-requests/elicitation.js'
import type { ProgressUpdate } from '../../context/progress.js'
import { type ErrorLog, logFailure } from '../../errors/log-failure.js'
import { runFenced } from '../../errors/run-fenced.js'
import { SubscriptionQuota } from '../../limits/subscription-quota.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import { initialState, Peer } from '../peer.js'
import type { RequestMeta } from '../request-call.js'
import { latest } from '../revisions.js'

/**
 * Answers a question of a handler. The answer is validated, as the answer of a client is. `signal` aborts when the answer is no
 * longer needed.
 */
export type ElicitFunction<Details = unknown> = (
  request: ElicitRequest,
  details: { readonly signal: AbortSignal } & Details,
) => MaybePromise<ElicitResult<JsonObject> | ElicitUrlResult>

/** Functions that receive what a handler sends during an in-process call. */
export interface InProcessListeners {
  /**
   * Answers `context.elicit` and `context.elicitUrl`. The time limit of the call stops until then. Default: these requests fail
   * with a `MissingCapabilityError`.
   */
  readonly onElicit?: ElicitFunction | undefined
  /** Called with each progress update of the handler. Default: progress is dropped. */
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined
}

interface Message {
  readonly id?: string
  readonly method: string
  readonly params: JsonObject
}

const nothing: JsonObject = Object.freeze({})

export const noMeta: RequestMeta = { clientInfo: null, clientCapabilities: nothing, logLevel: null, all: nothing }

const silent = { send: () => undefined }
const noSubscriptions = new SubscriptionQuota(0)

/** The client of one in-process call: it handles the messages that are sent to the clients of other transports. */
export class InProcessClient {
  readonly meta: RequestMeta
  readonly peer: Peer
  readonly #questions = new Map<unknown, AbortController>()

  constructor(
    private readonly listeners: InProcessListeners,
    private readonly log: ErrorLog,
  ) {
    const clientCapabilities = listeners.onElicit === undefined ? nothing : { elicitation: { form: {}, url: {} } }
    const all = listeners.onProgress === undefined ? nothing : { progressToken: 0 }
    this.meta = { ...noMeta, clientCapabilities, all }
    this.peer = new Peer(silent, noSubscriptions, '', 'in-process')
    const handshake = { revision: latest, clientInfo: null, clientCapabilities }
    this.peer.state = { ...initialState, handshake }
  }

  receive(json: string): void {
    const { id, method, params } = JSON.parse(json) as Message
    if (method === 'notifications/progress') this.#report(params)
    else if (method === 'elicitation/create') void this.#answer(id, params as unknown as ElicitRequest)
    else if (method === 'notifications/cancelled') {
      this.#questions.get(params['requestId'])?.abort(new Error(String(params['reason'])))
    }
  }

  #report(params: JsonObject): void {
    const { progressToken: _token, ...update } = params as JsonObject & ProgressUpdate
    const { onProgress } = this.listeners
    runFenced(
      () => onProgress?.(update),
      (error) => logFailure(this.log, error, {}, 'onProgress of an in-process call failed'),
    )
  }

  async #answer(id: string | undefined, request: ElicitRequest): Promise<void> {
    const question = new AbortController()
    this.#questions.set(id, question)
    const answer = await this.#ask(request, question.signal)
    this.#questions.delete(id)
    await this.peer.answer({ kind: 'response', id, result: undefined, error: undefined, ...answer })
  }

  async #ask(request: ElicitRequest, signal: AbortSignal): Promise<{ result: unknown } | { error: unknown }> {
    try {
      const result = await this.listeners.onElicit?.(request, { signal })
      return { result: JSON.parse(JSON.stringify(result ?? null)) as unknown }
    } catch (error) {
      if (!signal.aborted) logFailure(this.log, error, {}, 'onElicit of an in-process call failed')
      // The handler and the model get no message of the application.
      return { error: {} }
    }
  }
}
