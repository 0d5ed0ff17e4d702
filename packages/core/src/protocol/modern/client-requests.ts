import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { readOptionalObject } from '../../call/steps.js'
import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  type InputRequest,
  InvalidClientAnswer,
  InvalidClientRequest,
} from '../../client-requests/client-request.js'
import { InputRequired, type InputRequiredInit } from '../../client-requests/input-required.js'
import { digestOfQuestion } from '../../client-requests/question-digest.js'
import { type StepResults, Steps } from '../../client-requests/steps.js'
import type { CallNotes } from '../../context/call-notes.js'
import type { Principal } from '../../context/principal.js'
import { tryLog } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { JsonObject, RpcRequest } from '../../rpc/messages.js'
import { checkDeclared } from '../client-capabilities.js'
import { encodeClientRequest } from '../encode-client-request.js'
import type { Revision } from '../revisions.js'
import { bindingOf, type RequestStates } from './request-state.js'

interface ModernClientRequesterInit {
  readonly request: RpcRequest
  readonly principal: Principal | null
  readonly clientCapabilities: JsonObject
  readonly revision: Revision
  readonly states: RequestStates
  /** What hooks keep, as it is when the round ends. */
  readonly notes: () => CallNotes | null
  /** The log of the call. */
  readonly log: () => Logger
}

/** A question that the client was asked, in this round or before. */
interface Asked {
  readonly digest: string
  /** The answer as it came, once a handler has used it. */
  readonly answer?: unknown
}

/** What a call remembers from round to round. */
interface Memory {
  readonly round: number
  readonly asked: readonly (readonly [key: string, asked: Asked])[]
  readonly steps: StepResults
  /** What hooks want to find again. */
  readonly notes?: Readonly<Record<string, string>>
  /** What a handler that asks by hand wants to find again. */
  readonly own?: unknown
}

const nothing: Memory = { round: 0, asked: [], steps: {} }

/**
 * Looks for answers in what the client sent along. Where one is missing, the handler ends, the client is told what is
 * wanted, and its next request runs the handler again. An answer counts only for a question that the sealed state says
 * was asked: under the same key, and with the same content. Spec: basic/mrtr.
 */
export class ModernClientRequester implements ClientRequester {
  readonly inputResponses: JsonObject
  readonly requestState: unknown
  readonly #binding: string
  readonly round: number
  readonly notes: Readonly<Record<string, string>>
  readonly #asked: Map<string, Asked>
  readonly #steps: Steps
  readonly #keys = new ClientRequestKeys()
  readonly #wanted = new Map<string, InputRequest>()
  readonly #signal = new InputRequired({})
  #stopping: Promise<never> | null = null
  #isStopped = false
  #outcome: InputRequired | null = null

  /** @throws ProtocolError -32602 for what no client was given. */
  constructor(private readonly init: ModernClientRequesterInit) {
    const { request, principal } = init
    this.inputResponses = readOptionalObject(request.params, 'inputResponses')
    this.#binding = bindingOf(request, principal)
    const { requestState: sealed } = request.params
    const memory = sealed === undefined ? nothing : (init.states.open(sealed, this.#binding) as unknown as Memory)
    this.requestState = memory.own
    this.round = memory.round + 1
    this.notes = memory.notes ?? {}
    this.#asked = new Map(memory.asked)
    this.#steps = new Steps(memory.steps)
  }

  async ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    if (this.#isStopped) throw this.#signal
    const key = this.#keys.take(clientRequest.key)
    const digest = digestOfQuestion(clientRequest.request)
    for (const given of this.#answersTo(key, digest)) {
      const answer = tryRead(clientRequest, given)
      if (answer === null) continue
      this.#asked.set(key, { digest, answer: given })
      return answer.value
    }
    this.#want({ [key]: clientRequest.request })
    this.#asked.set(key, { digest })
    return this.#stop()
  }

  async step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result> {
    if (this.#isStopped) throw this.#signal
    return this.#steps.run(name, run)
  }

  async end(error: unknown): Promise<unknown> {
    const isByHand = error instanceof InputRequired && error !== this.#signal
    if (error === this.#outcome || (this.#wanted.size === 0 && !isByHand)) return error
    // No answer would mend either, so the user is not asked first.
    if (error instanceof ProtocolError || error instanceof InvalidClientRequest) return error
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
    tryLog(() => this.init.log().info({ key }, 'a question changed between two rounds: it is asked again'))
    return []
  }

  /** @throws MissingCapabilityError */
  #want(requests: Readonly<Record<string, InputRequest>>): void {
    const { clientCapabilities, revision } = this.init
    checkDeclared(Object.values(requests), clientCapabilities, revision)
    for (const [key, request] of Object.entries(requests)) this.#wanted.set(key, encodeClientRequest(request, revision))
  }

  /** All that ask at the same time share one end. */
  #stop(): Promise<never> {
    this.#stopping ??= this.#stopSoon()
    return this.#stopping
  }

  /** Not at once: what else is asked until then goes into the same round, and steps that run have to be remembered. */
  async #stopSoon(): Promise<never> {
    await setImmediate()
    await this.#steps.idle()
    this.#isStopped = true
    throw this.#signal
  }

  #conclude(own: unknown): InputRequired {
    const notes = this.init.notes()?.toRecord() ?? this.notes
    const memory: Memory = { round: this.round, asked: [...this.#asked], steps: this.#steps.results, notes, own }
    const hasNotes = Object.keys(notes).length > 0
    const remembers = this.#asked.size > 0 || this.#steps.hasResults || own !== undefined || hasNotes
    if (!remembers && this.#wanted.size === 0) {
      throw new InvalidClientRequest(
        'inputRequired was given neither inputRequests nor a requestState. Give it one of them.',
      )
    }
    return new InputRequired({
      ...(this.#wanted.size === 0 ? {} : { inputRequests: Object.fromEntries(this.#wanted) }),
      requestState: this.init.states.seal({ ...memory }, this.#binding),
    } satisfies InputRequiredInit)
  }
}

function ownMember(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** `null` for an answer that is missing or cannot be used: the question is asked again. */
function tryRead<Answer>(clientRequest: ClientRequest<Answer>, given: unknown): { readonly value: Answer } | null {
  if (given === undefined) return null
  try {
    return { value: clientRequest.read(given) }
  } catch (error) {
    if (error instanceof InvalidClientAnswer) return null
    throw error
  }
}
