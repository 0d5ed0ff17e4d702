import type { JsonObject } from '../rpc/messages.js'

/** What a server may ask its client for. Spec: client/elicitation, client/sampling, client/roots. */
export type ClientRequestMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list'

/** A question as it is on the wire, in the form of the newest revision. */
export interface InputRequest {
  readonly method: ClientRequestMethod
  readonly params?: JsonObject
}

/** One question to the client, and what to make of its answer. */
export interface ClientRequest<Answer> {
  readonly request: InputRequest
  /** Names the question among those of one call; `undefined`: by the order of asking. */
  readonly key: string | undefined
  /** Checks and reads the client's answer. @throws InvalidClientAnswer */
  read(answer: unknown): Answer
}

/** What every way of asking takes. */
export interface ClientRequestOptions {
  /**
   * Names the question among those of one call, such as `user_name`. Default: the order of asking. Give one where the
   * order may differ from one run of the handler to the next.
   */
  readonly key?: string
}

/** An answer that cannot be used. The text says why, and goes to the client. */
export class InvalidClientAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

/** What no client could be asked, or a name that is taken: a mistake of the handler's author. */
export class InvalidClientRequest extends Error {
  override readonly name = 'BadQuestion'
}

/**
 * How one call asks its client. Eras differ in it: a request that is awaited, or an answer that says what is missing.
 * Made when a handler asks for the first time; most never do.
 */
export interface ClientRequester {
  /** Answers that the client sent along, for handlers that ask by hand. */
  readonly inputResponses: JsonObject
  /** What the handler gave the client to keep when it asked by hand. */
  readonly requestState: unknown
  /** How often the handler has run, this time included. */
  readonly round: number
  /** What hooks kept in earlier rounds. */
  readonly notes: Readonly<Record<string, string>>
  ask<Answer>(clientRequest: ClientRequest<Answer>): Promise<Answer>
  step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result>
  /** Makes the call a task, where it can be one. */
  startTask?(): Promise<void>
  /**
   * The handler has ended, with this error or (`undefined`) without one. What it asked and nobody answered either gives
   * up now, or becomes the error that the call ends with instead.
   */
  end(error: unknown): Promise<unknown>
}

/** Keys of the questions of one run: given ones, or numbers in the order of asking. */
export class ClientRequestKeys {
  readonly #used = new Set<string>()

  take(given: string | undefined): string {
    const key = given ?? `question_${this.#used.size + 1}`
    if (this.#used.has(key)) {
      throw new InvalidClientRequest(`The key '${key}' is used twice in one call. Give each question a key of its own.`)
    }
    this.#used.add(key)
    return key
  }
}
