import type { ClientRequester } from '../client-requests/client-request.js'
import type { InputRequired } from '../client-requests/input-required.js'
import type { Changes } from '../context/changes.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import type { RpcNotification, RpcRequest } from '../rpc/messages.js'
import type { Exchange } from './exchange.js'
import type { RequestCall, RequestFacts } from './request-call.js'
import type { Revision } from './revisions.js'

/** Serves one method, and ends the call synchronously or later. An error thrown here fails the call. */
export type Method = (call: RequestCall) => void

export type Methods = Readonly<Record<string, Method>>

/** The result as JSON: a string, or bytes from a cache. */
export type ResultText = string | Buffer

export function answering(read: (call: RequestCall) => ResultText): Method {
  return (call) => call.respond(read(call))
}

export function answeringLater(read: (call: RequestCall) => Promise<ResultText>): Method {
  return (call) => {
    read(call).then(
      (text) => call.respond(text),
      (error) => call.fail(error),
    )
  }
}

export interface Era {
  readonly name: Revision['era']
  readonly changes: Changes
  readonly exposeErrors: boolean
  read(request: RpcRequest, exchange: Exchange): RequestFacts
  openClientRequester(call: RequestCall): ClientRequester
  /**
   * Asks the client for the input that a handler requires. Modern clients receive the requests as the response. Legacy clients
   * receive the requests, and the handler then runs again with the answers. @throws ProtocolError
   */
  requireInput(required: InputRequired, call: RequestCall): void
  receiveNotification(notification: RpcNotification, exchange: Exchange): Promise<void>
  statusOf(error: ProtocolError): number
}
