import type { RunningCall } from '../call/running-call.js'
import type { ClientRequester } from '../client-requests/client-request.js'
import type { InputRequired } from '../client-requests/input-required.js'
import type { Cancellation } from '../context/cancellation.js'
import type { ProtocolError } from '../errors/protocol-error.js'
import type { RpcNotification, RpcRequest } from '../rpc/messages.js'
import type { Exchange } from './exchange.js'
import type { Peer } from './peer.js'
import type { Revision } from './revisions.js'

// Terminology. A *revision* is one dated version of the protocol. An *era* is a family of revisions that work alike:
// *legacy* ones agree on a revision in a handshake (`initialize`), *modern* ones state it in every request. A server
// that speaks both is *dual-era*; these are the spec's own words. An *exchange* is one inbound message and the way to
// answer it; a *peer* is the other end of a connection or session, which outlives its messages.

/** One request that is being served. */
export interface Call extends RunningCall {
  readonly request: RpcRequest
  readonly exchange: Exchange
  /** Who sent it, as far as that outlives the request: what knows its ids in flight. */
  readonly peer: Peer | null
  readonly revision: Revision
}

/** Serves one method: the JSON text of its result, or the bytes of that where they are kept. */
export type Method = (call: Call) => string | Buffer | Promise<string | Buffer>

/** By name: `tools/call`. */
export type Methods = Readonly<Record<string, Method>>

/** What differs between the eras, and nothing more. */
export interface Era {
  /** Checks what comes with the request, and makes its context. @throws ProtocolError */
  openCall(request: RpcRequest, exchange: Exchange, cancellation: Cancellation): Call
  /** A method that a revision's table does not have is "method not found" in that revision. */
  findMethod(name: string, revision: Revision): Method | undefined
  unknownMethod(name: string): ProtocolError
  /** What a call asks its client with. @throws ProtocolError for what a retry should not have brought */
  openClientRequester(call: Call): ClientRequester
  /** The JSON text of the result of a call whose handler wants an answer first. @throws ProtocolError */
  requireInput(required: InputRequired, call: Call, method: Method): string | Buffer | Promise<string | Buffer>
  receiveNotification(notification: RpcNotification, exchange: Exchange): void | Promise<void>
  /** HTTP status of an error answer. */
  statusOf(error: ProtocolError): number
}
