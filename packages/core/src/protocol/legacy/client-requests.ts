import {
  type ClientRequest,
  type ClientRequester,
  ClientRequestKeys,
  digestOf,
  type InputRequest,
  InvalidClientAnswer,
} from '../../client-requests/client-request.js'
import { InputRequired, type InputRequiredInit } from '../../client-requests/input-required.js'
import { Steps } from '../../client-requests/steps.js'
import { allowAnyListeners, CallCancelled } from '../../context/cancellation.js'
import { openClientRequester } from '../../context/mcp-context.js'
import { ClientRequestError, MissingCapabilityError } from '../../errors/client-request-errors.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { checkDeclared } from '../client-requests/client-capabilities.js'
import { encodeClientRequest } from '../client-requests/encode-client-request.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Peer, PeerState } from '../peer.js'
import type { RequestCall } from '../request-call.js'

export class LegacyClientRequester implements ClientRequester {
  requestState: unknown = undefined
  round = 1
  /** Always empty, because all rounds of a legacy call share one context, which stores the notes. */
  readonly notes = {}
  /** A legacy call is one request, which runs all rounds. */
  readonly repeatable = null
  #responses: JsonObject | Error = {}
  /** Answers by key, not validated. When the handler runs again after `inputRequired`, unchanged requests are not sent again. */
  readonly #answers = new Map<string, { readonly digest: string; readonly answer: unknown }>()
  #keys = new ClientRequestKeys()
  #steps = new Steps()
  readonly #ended = new AbortController()

  constructor(
    private readonly call: RequestCall,
    private readonly dependencies: ProtocolDependencies,
  ) {
    const { signal } = call.cancellation
    // The signal has many listeners: one for each pending client request.
    allowAnyListeners(this.#ended.signal)
    if (signal.aborted) this.#ended.abort(signal.reason)
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true })
  }

  get inputResponses(): JsonObject {
    if (this.#responses instanceof Error) throw this.#responses
    return this.#responses
  }

  async ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer> {
    const { request } = clientRequest
    const name = this.#keys.take(clientRequest.key)
    const answer = await this.#answerTo(name, request)
    try {
      return await clientRequest.read(answer)
    } catch (error) {
      if (!(error instanceof InvalidClientAnswer)) throw error
      throw new ClientRequestError(`The client's answer to ${request.method} is invalid: ${error.message}.`)
    }
  }

  step<Result>(name: string, run: () => unknown): Promise<Result> {
    return this.#steps.run(name, run)
  }

  async fulfil({ inputRequests = {}, requestState }: InputRequiredInit): Promise<void> {
    const entries = Object.entries(inputRequests)
    try {
      // Checks all requests before sending, so that no request is sent if the client cannot answer one of them.
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
    // The call continues: the requests of `inputRequired` are sent next.
    if (error instanceof InputRequired) return error
    this.#ended.abort(new CallCancelled('the call ended'))
    return error
  }

  async #answerTo(name: string, request: InputRequest): Promise<unknown> {
    const digest = digestOf(request)
    const known = this.#answers.get(name)
    if (known?.digest === digest) return known.answer
    const answer = await this.#send(request)
    this.#answers.set(name, { digest, answer })
    return answer
  }

  #findPeer(requests: readonly InputRequest[]): Peer {
    const { exchange, peer, revision } = this.call
    if (peer === null || !exchange.canNotify) {
      throw new ClientRequestError(
        'This call needs responses from the client. The client must keep a session and accept event streams.',
      )
    }
    checkDeclared(requests, peer.state.handshake?.clientCapabilities ?? {}, revision)
    return peer
  }

  async #send(request: InputRequest): Promise<unknown> {
    const peer = this.#findPeer([request])
    return request.method === 'roots/list' ? this.#requestRoots(request, peer) : this.#request(request, peer)
  }

  async #requestRoots(request: InputRequest, peer: Peer): Promise<unknown> {
    if (!announcesRoots(peer.state)) return this.#request(request, peer)
    // Another node could have received the announcement.
    await peer.refresh()
    const { rootsChanges } = peer.state
    const known = peer.roots.find(rootsChanges)
    if (known !== undefined) return known
    const answer = await this.#request(request, peer)
    peer.roots.put(answer, rootsChanges)
    return answer
  }

  async #request(request: InputRequest, peer: Peer): Promise<unknown> {
    const { revision, cancellation, client: sender } = this.call
    const { clientRequestTimeoutMs: timeoutMs, clientRequests: counter } = this.dependencies
    const { method, params } = encodeClientRequest(request, revision)
    cancellation.pause()
    try {
      return await peer.clientRequests.ask({ method, params, sender, timeoutMs, signal: this.#ended.signal, counter })
    } finally {
      cancellation.resume()
    }
  }
}

const maxRounds = 100

export function askAndRunAgain({ init }: InputRequired, call: RequestCall): void {
  const clientRequester = openClientRequester(call.context) as LegacyClientRequester
  if (clientRequester.round > maxRounds) {
    throw new ProtocolError('internalError', `The handler called inputRequired ${maxRounds} times in a row`)
  }
  clientRequester.fulfil(init).then(
    () => call.run(),
    (error) => call.fail(error),
  )
}

/** Whether the client sends `notifications/roots/list_changed`. Spec: client/roots. */
function announcesRoots({ handshake }: PeerState): boolean {
  const roots = handshake?.clientCapabilities['roots']
  return isJsonObject(roots) && roots['listChanged'] === true
}
