import type { ClientRequester } from '../client-requests/client-request.js'
import type { InputRequired } from '../client-requests/input-required.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import type { RpcNotification } from '../rpc/messages.js'
import type { Exchange } from './exchange.js'
import type { RequestCall } from './request-call.js'
import type { Revision } from './revisions.js'

// Terminology. A *revision* is one dated version of the protocol. An *era* is a family of revisions that work alike:
// *legacy* ones agree on a revision in a handshake (`initialize`), *modern* ones state it in every request. A server
// that speaks both is *dual-era*; these are the spec's own words. An *exchange* is one inbound message and the way to
// answer it; a *peer* is the other end of a connection or session, which outlives its messages.

/** Serves one method: ends the call, at once or later. An error thrown here fails the call. */
export type Method = (call: RequestCall) => void

/** By name: `tools/call`. */
export type Methods = Readonly<Record<string, Method>>

/** The JSON text of a result, or its bytes where they are kept. */
export type ResultText = string | Buffer

/** A method that answers with the text that a function returns, or its promise resolves to. */
export function answering(read: (call: RequestCall) => ResultText | Promise<ResultText>): Method {
  return (call) => {
    const result = read(call)
    if (!(result instanceof Promise)) call.respond(result)
    else {
      result.then(
        (text) => call.respond(text),
        (error) => call.fail(error),
      )
    }
  }
}

/** The differences between the eras. */
export interface Era {
  /** Checks what comes with the request, and gives the call its context. @throws ProtocolError */
  openCall(call: RequestCall): void
  /** A method that a revision's table does not have is "method not found" in that revision. */
  findMethod(name: string, revision: Revision): Method | undefined
  unknownMethod(name: string): ProtocolError
  /** Creates what a call sends requests to its client with. @throws ProtocolError for input that a retry should not have brought */
  openClientRequester(call: RequestCall): ClientRequester
  /** Answers a call whose handler asked by hand, or runs it again with the answers. @throws ProtocolError */
  requireInput(required: InputRequired, call: RequestCall): void
  receiveNotification(notification: RpcNotification, exchange: Exchange): void | Promise<void>
  /** HTTP status of an error answer. */
  statusOf(error: ProtocolError): number
}
