import { createHash, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { toSortedJson } from '@toolwright/schema'
import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  digestOf,
  type InputRequest,
  InvalidClientAnswer,
  InvalidClientRequest,
} from '../../client-requests/client-request.js'
import { InputRequired } from '../../client-requests/input-required.js'
import { type StepResults, Steps } from '../../client-requests/steps.js'
import { usedNotesOf } from '../../context/call-notes.js'
import { tryLog } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { type JsonObject, ownMember, readOptionalObject } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import { isPromiseLike } from '../../timing/with-timeout.js'
import { checkDeclared } from '../client-requests/client-capabilities.js'
import { encodeClientRequest } from '../client-requests/encode-client-request.js'
import type { RequestCall } from '../request-call.js'
import { bindingOf, type RequestStates } from './request-state.js'
import type { RoundRun, Rounds } from './rounds.js'

interface Asked {
  readonly digest: string
  readonly answer?: unknown
}

interface Memory {
  /**
   * Id of the continuation: a random id in the first round, and later a digest of the previous id and the answers. All runs of
   * the same round with the same answers have the same id.
   */
  readonly id: string
  readonly round: number
  readonly asked: readonly (readonly [key: string, asked: Asked])[]
  readonly steps: StepResults
  readonly notes?: Readonly<Record<string, string>>
  readonly own?: unknown
}

const nothing: Memory = { id: '', round: 0, asked: [], steps: {} }

/**
 * Looks up the client's answers in the request of the call. If an answer is missing, the handler ends, and the client gets the
 * pending requests. The client's next request runs the handler again. An answer is only accepted if the encrypted state has a
 * request with the same key and the same content. Spec: basic/mrtr.
 */
export class ModernClientRequester implements ClientRequester {
  readonly inputResponses: JsonObject
  readonly requestState: unknown
  readonly #binding: string
  readonly round: number
  readonly notes: Readonly<Record<string, string>>
  readonly repeatable: RoundRun | null
  readonly #asked: Map<string, Asked>
  readonly #steps: Steps
  readonly #keys = new ClientRequestKeys()
  readonly #wanted = new Map<string, InputRequest>()
  readonly #signal = new InputRequired({})
  #stopping: Promise<never> | null = null
  #isStopped = false
  #outcome: InputRequired | null = null

  /** @throws ProtocolError -32602 for a state that this server did not issue. */
  constructor(
    private readonly call: RequestCall,
    private readonly states: RequestStates,
    rounds: Rounds,
  ) {
    const { request, context } = call
    this.inputResponses = readOptionalObject(request.params, 'inputResponses')
    this.#binding = bindingOf(request, context.principal)
    const { requestState: sealed } = request.params
    const memory = sealed === undefined ? nothing : (states.open(sealed, this.#binding) as unknown as Memory)
    this.requestState = memory.own
    this.round = memory.round + 1
    this.notes = memory.notes ?? {}
    this.#asked = new Map(memory.asked)
    this.#steps = new Steps(memory.steps)
    this.repeatable =
      memory === nothing
        ? null
        : rounds.open(continuationOf(memory.id, this.inputResponses), this.#steps, context.principal, call)
    call.repeatable = this.repeatable
  }

  async ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    if (this.#isStopped) throw this.#signal
    const key = this.#keys.take(clientRequest.key)
    const digest = digestOf(clientRequest.request)
    for (const given of this.#answersTo(key, digest)) {
      const reading = tryRead(clientRequest, given)
      // Awaits only asynchronous schemas: a further turn would delay the other requests of the handler.
      // oxlint-disable-next-line no-await-in-loop
      const answer = isPromiseLike(reading) ? await reading : reading
      if (answer === null) continue
      this.#asked.set(key, { digest, answer: given })
      return answer.value
    }
    this.#want({ [key]: clientRequest.request })
    this.#asked.set(key, { digest })
    return this.#stop()
  }

  async step<Result>(name: string, run: () => unknown): Promise<Result> {
    if (this.#isStopped) throw this.#signal
    return this.#steps.run(name, run)
  }

  async end(error: unknown): Promise<unknown> {
    const isByHand = error instanceof InputRequired && error !== this.#signal
    const isFinal =
      (this.#wanted.size === 0 && !isByHand) ||
      // No answer can correct these errors, so the request is not sent.
      error instanceof ProtocolError ||
      error instanceof InvalidClientRequest
    if (error === this.#outcome || isFinal) {
      if (isFinal && error !== undefined && this.repeatable !== null) this.repeatable.hasFailed = true
      return error
    }
    await this.#steps.idle()
    this.#isStopped = true
    const { inputRequests = {}, requestState } = isByHand ? error.init : {}
    this.#want(inputRequests)
    this.#outcome = this.#conclude(requestState)
    return this.#outcome
  }

  #answersTo(key: string, digest: string): readonly unknown[] {
    const asked = this.#asked.get(key)
    if (asked === undefined) return []
    if (asked.digest === digest) return [asked.answer, ownMember(this.inputResponses, key)]
    tryLog(() => this.call.context.log.info({ key }, 'a client request changed between two rounds: it is sent again'))
    return []
  }

  #want(requests: Readonly<Record<string, InputRequest>>): void {
    const { context, revision } = this.call
    checkDeclared(Object.values(requests), context.clientCapabilities, revision)
    for (const [key, request] of Object.entries(requests)) this.#wanted.set(key, encodeClientRequest(request, revision))
  }

  /** Ends the run of the handler. All concurrent requests reject at the same time. */
  #stop(): Promise<never> {
    this.#stopping ??= this.#stopSoon()
    return this.#stopping
  }

  /**
   * Waits for one turn of the event loop and for running steps, so that the round includes all concurrent requests and step
   * results.
   */
  async #stopSoon(): Promise<never> {
    await setImmediate()
    await this.#steps.idle()
    this.#isStopped = true
    throw this.#signal
  }

  #conclude(own: unknown): InputRequired {
    const notes = usedNotesOf(this.call.context)?.toRecord() ?? this.notes
    const id = this.repeatable?.id ?? randomUUID()
    const memory: Memory = { id, round: this.round, asked: [...this.#asked], steps: this.#steps.results, notes, own }
    const hasNotes = Object.keys(notes).length > 0
    const hasState = this.#asked.size > 0 || this.#steps.hasResults || own !== undefined || hasNotes
    if (!hasState && this.#wanted.size === 0) {
      throw new InvalidClientRequest('inputRequired needs inputRequests or a requestState.')
    }
    if (this.repeatable !== null) this.repeatable.asksClient = true
    return new InputRequired({
      ...(this.#wanted.size === 0 ? {} : { inputRequests: Object.fromEntries(this.#wanted) }),
      requestState: this.states.seal({ ...memory }, this.#binding),
    })
  }
}

function continuationOf(id: string, inputResponses: JsonObject): string {
  return createHash('sha256')
    .update(`${id}\n${toSortedJson(inputResponses)}`)
    .digest('base64url')
}

/** Reads an answer; `null` for a missing or invalid answer, so that the request is sent again. */
function tryRead<Answer>(
  clientRequest: ClientRequest<Answer>,
  given: unknown,
): MaybePromise<{ readonly value: Answer } | null> {
  if (given === undefined) return null
  try {
    const read = clientRequest.read(given)
    return isPromiseLike(read) ? read.then((value) => ({ value }), ignoreInvalid) : { value: read }
  } catch (error) {
    return ignoreInvalid(error)
  }
}

function ignoreInvalid(error: unknown): null {
  if (error instanceof InvalidClientAnswer) return null
  throw error
}
