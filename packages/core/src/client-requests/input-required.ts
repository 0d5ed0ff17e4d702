import { acceptOtherCopies } from '../copies/copies.js'
import type { InputRequest } from './client-request.js'

/** What a handler that asks by hand wants to know, and what it wants to find again when it is run with the answers. */
export interface InputRequiredInit {
  /** By key: the answers come back in `context.inputResponses` under the same ones. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** Any JSON. It is encrypted for its way over the client, and comes back in `context.requestState`. */
  readonly requestState?: unknown
}

/**
 * Ends a handler that needs an answer which it does not have yet: the client is asked, and the handler runs again. It
 * is thrown by what asks; a handler that catches everything should throw it again.
 */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'

  constructor(readonly init: InputRequiredInit) {
    super('The client is asked, and the handler runs again with the answer. Throw this error again.')
  }
}
acceptOtherCopies(InputRequired, 'InputRequired')

/**
 * Asks the client by hand: `return inputRequired({ inputRequests, requestState })`. The handler ends here (this throws,
 * so that it fits every return type) and runs again with `context.inputResponses` and `context.requestState`. Nothing
 * checks the answers; `context.elicit` and the others do.
 */
export function inputRequired(init: InputRequiredInit): never {
  throw new InputRequired(init)
}
