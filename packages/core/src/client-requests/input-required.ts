import { acceptOtherCopies } from '../copies/copies.js'
import type { InputRequest } from './client-request.js'

/** Options of `inputRequired`: the requests to send, and state to restore when the handler runs again. */
export interface InputRequiredInit {
  /** Client requests by key. `context.inputResponses` contains the answers under the same keys. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /**
   * Any JSON value. The client stores the encrypted value, and `context.requestState` returns it in the next round of the call.
   */
  readonly requestState?: unknown
}

/**
 * Ends a handler until the client has answered: the client gets the requests, and the handler runs again with the
 * answers. A handler that catches all errors must rethrow this error.
 */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'

  constructor(readonly init: InputRequiredInit) {
    super('The handler runs again when the client has answered. Rethrow this error.')
  }
}
acceptOtherCopies(InputRequired, 'InputRequired')

/**
 * Sends client requests in their wire format: `return inputRequired({ inputRequests, requestState })`. This function
 * throws, so it fits every return type. The handler runs again with `context.inputResponses` and
 * `context.requestState`. The answers are not validated; prefer `context.elicit`, `context.sample` and
 * `context.listRoots`, which validate them.
 *
 * @throws InputRequired always.
 */
export function inputRequired(init: InputRequiredInit): never {
  throw new InputRequired(init)
}
