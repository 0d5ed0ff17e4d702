import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  type InputRequest,
  InvalidClientAnswer,
} from '../../client-requests/client-request.js'
import { InputRequired, type InputRequiredInit } from '../../client-requests/input-required.js'
import { digestOfQuestion } from '../../client-requests/question-digest.js'
import { Steps } from '../../client-requests/steps.js'
import { allowAnyListeners, CallCancelled, type Cancellation } from '../../context/cancellation.js'
import { ClientRequestError, MissingCapabilityError } from '../../errors/client-request-errors.js'
import type { JsonObject } from '../../rpc/messages.js'
import { checkDeclared } from '../client-capabilities.js'
import { encodeClientRequest } from '../encode-client-request.js'
import type { Peer } from '../peer.js'
import type { ClientRequestCounters, ClientRequestSender } from '../pending-client-requests.js'
import type { Revision } from '../revisions.js'

interface LegacyClientRequesterInit {
  /** `null` where a question could not reach the client, or its answer would not find back: without a session. */
  readonly peer: Peer | null
  readonly revision: Revision
  readonly cancellation: Cancellation
  /** On the stream of the call. */
  readonly sender: ClientRequestSender
  readonly timeoutMs: number
  readonly counter: ClientRequestCounters
}

/** Asks with a request to the client, and waits for its response. */
export class LegacyClientRequester implements ClientRequester {
  requestState: unknown = undefined
  round = 1
  /** Its rounds are one request, whose context keeps them. */
  readonly notes = {}
  #responses: JsonObject | Error = {}
  /** Answers as they came. A handler that asks by hand runs again, and repeats only questions that changed. */
  readonly #answers = new Map<string, { readonly digest: string; readonly answer: unknown }>()
  #keys = new ClientRequestKeys()
  #steps = new Steps()
  readonly #ended = new AbortController()

  constructor(private readonly init: LegacyClientRequesterInit) {
    const { signal } = init.cancellation
    // Each question is one.
    allowAnyListeners(this.#ended.signal)
    if (signal.aborted) this.#ended.abort(signal.reason)
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true })
  }

  /** @throws ClientRequestError, MissingCapabilityError for what the client did not answer. */
  get inputResponses(): JsonObject {
    if (this.#responses instanceof Error) throw this.#responses
    return this.#responses
  }

  async ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const { request } = clientRequest
    const name = this.#keys.take(clientRequest.key)
    const answer = await this.#answerTo(name, request)
    try {
      return clientRequest.read(answer)
    } catch (error) {
      if (!(error instanceof InvalidClientAnswer)) throw error
      throw new ClientRequestError(`The client's answer to ${request.method} cannot be used: ${error.message}.`)
    }
  }

  step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result> {
    return this.#steps.run(name, run)
  }

  /** Asks what a handler asked for by hand, so that it can run again with the answers. */
  async fulfil({ inputRequests = {}, requestState }: InputRequiredInit): Promise<void> {
    const entries = Object.entries(inputRequests)
    try {
      // Before any is asked: the client would answer some in vain.
      if (entries.length > 0) this.#findPeer(Object.values(inputRequests))
      const answers = await Promise.all(entries.map(([, request]) => this.#send(request)))
      this.#responses = Object.fromEntries(entries.map(([key], index) => [key, answers[index]]))
    } catch (error) {
      if (!(error instanceof ClientRequestError || error instanceof MissingCapabilityError)) throw error
      this.#responses = error
    }
    this.requestState = requestState
    this.round++
    this.#keys = new ClientRequestKeys()
    this.#steps = new Steps(this.#steps.results)
  }

  async end(error: unknown): Promise<unknown> {
    // It goes on: what was asked by hand is asked now.
    if (error instanceof InputRequired) return error
    this.#ended.abort(new CallCancelled('the call ended'))
    return error
  }

  async #answerTo(name: string, request: InputRequest): Promise<unknown> {
    const digest = digestOfQuestion(request)
    const known = this.#answers.get(name)
    if (known?.digest === digest) return known.answer
    const answer = await this.#send(request)
    this.#answers.set(name, { digest, answer })
    return answer
  }

  /** @throws ClientRequestError, MissingCapabilityError where there is none that can answer. */
  #findPeer(requests: readonly InputRequest[]): Peer {
    const { peer, revision } = this.init
    if (peer === null) {
      throw new ClientRequestError(
        'This server asks its client during the call. The client must keep a session and accept event streams.',
      )
    }
    checkDeclared(requests, peer.state.handshake?.clientCapabilities ?? {}, revision)
    return peer
  }

  async #send(request: InputRequest): Promise<unknown> {
    const peer = this.#findPeer([request])
    const { revision, cancellation, sender, timeoutMs, counter } = this.init
    const { method, params } = encodeClientRequest(request, revision)
    cancellation.pause()
    try {
      return await peer.clientRequests.ask({ method, params, sender, timeoutMs, signal: this.#ended.signal, counter })
    } finally {
      cancellation.resume()
    }
  }
}
