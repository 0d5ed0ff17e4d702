import { createHash } from 'node:crypto'
import { toSortedJson } from '@toolwright/schema'
import type { JsonObject } from '../rpc/messages.js'
import type { MaybePromise } from '../timing/maybe-promise.js'

/** Request methods that a server may send to its client. Spec: client/elicitation, client/sampling, client/roots. */
export type ClientRequestMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** A client request as sent on the wire, in the form of the newest revision. */
export interface InputRequest {
  readonly method: ClientRequestMethod
  readonly params?: JsonObject
}

/** Returns the digest of a request's content. An answer is accepted only for exactly the request that was sent to the client. */
export function digestOf(request: InputRequest): string {
  // The request is serialized first, because members can be `undefined` or have a `toJSON` method.
  const wire: unknown = JSON.parse(JSON.stringify(request))
  return createHash('sha256').update(toSortedJson(wire)).digest('base64url')
}

export interface ClientRequest<Answer> {
  readonly request: InputRequest
  readonly key: string | undefined
  /** Validates and decodes the client's answer. @throws InvalidClientAnswer */
  read(answer: unknown): MaybePromise<Answer>
}

export interface ClientRequestOptions {
  /**
   * Key of the request within one call, such as `user_name`. Default: `question_1`, `question_2` and so on, in the order of the
   * requests. Set a key if the order can differ between two runs of the handler.
   */
  readonly key?: string
}

/** Invalid answer of a client. The message contains the reason, and is sent to the client. */
export class InvalidClientAnswer extends Error {
  override readonly name = 'InvalidClientAnswer'
}

export class InvalidClientRequest extends Error {
  override readonly name = 'InvalidClientRequest'
}

export class StoredResponse {
  constructor(
    readonly json: string,
    readonly asksClient: boolean,
  ) {}
}

/** A round after the first. The client can send such a round more than once. */
export interface RepeatableRound {
  readonly isEntered: boolean
  readonly response: StoredResponse | null
  /**
   * Waits until no other run of this round is in progress. Then reads the response or the steps of that run.
   *
   * @throws ProtocolError
   */
  enter(): Promise<void>
  handlerBegan(): void
  handlerEnded(): void
  answered(json: string | null): void
}

/**
 * Sends the client requests of one call. For legacy clients, sends each request and waits for the answer. For modern clients, the
 * call ends with a result that lists the requests. Created on first use: most handlers send no requests.
 */
export interface ClientRequester {
  readonly inputResponses: JsonObject
  readonly requestState: unknown
  readonly round: number
  readonly notes: Readonly<Record<string, string>>
  /** `null` in the first round, and in calls whose rounds the client cannot repeat. */
  readonly repeatable: RepeatableRound | null
  ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer>
  step<Result>(name: string, run: () => MaybePromise<Result>): Promise<Result>
  startTask?(): Promise<void>
  /**
   * Called when the handler has ended, with the error of the handler or with `undefined`. Returns the error that ends the call,
   * if any: a modern call with pending requests ends with `InputRequired`. In other calls, pending requests fail.
   */
  end(error: unknown): Promise<unknown>
}

export class ClientRequestKeys {
  readonly #used = new Set<string>()

  take(given: string | undefined): string {
    const key = given ?? `question_${this.#used.size + 1}`
    if (this.#used.has(key)) {
      throw new InvalidClientRequest(`The key '${key}' is used twice in one call. Give each request its own key.`)
    }
    this.#used.add(key)
    return key
  }
}
