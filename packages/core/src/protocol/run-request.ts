import { InputRequired } from '../asking/input-required.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { LimitError } from '../errors/limit-error.js'
import { ProtocolError, shorten } from '../errors/protocol-error.js'
import type { Gate } from '../limits/gate.js'
import type { RequestId, RpcRequest } from '../rpc/messages.js'
import { errorResponse, resultResponse } from '../rpc/respond.js'
import type { Era } from './era.js'
import { type Answer, accepted, type Exchange } from './exchange.js'
import type { Peer } from './peer.js'

/** What holds for every request. */
export interface RequestRules {
  /** How often, and how many at once, each caller may send; `null`: no limit. */
  readonly callers: Gate | null
  readonly onUnexpected: (error: unknown) => void
}

/** Serves one request from its first check to its answer. Never rejects: whatever goes wrong has an answer. */
export async function runRequest(
  request: RpcRequest,
  exchange: Exchange,
  era: Era,
  { callers, onUnexpected }: RequestRules,
): Promise<Answer> {
  const { id } = request
  const cancellation = new Cancellation()
  let begun: Peer | null = null
  let caller: string | null = null
  try {
    const call = era.openCall(request, exchange, cancellation)
    exchange.serves(call, era)
    if (call.peer !== null) begun = begin(id, call.peer, cancellation)
    if (callers !== null) {
      await callers.enter(exchange.caller)
      ;({ caller } = exchange)
    }
    const method = era.findMethod(request.method, call.revision)
    if (method === undefined) throw new ProtocolError('methodNotFound', `Method not found: ${shorten(request.method)}`)
    let result: string | Buffer
    try {
      const outcome = method(call)
      // Awaited only where there is something to wait for: most methods have their result at once.
      result = outcome instanceof Promise ? await outcome : outcome
    } catch (error) {
      if (!(error instanceof InputRequired)) throw error
      result = await era.requireInput(error, call, method)
    }
    // A client that cancelled wants no answer, also when the handler finished all the same.
    if (cancellation.reason instanceof CallCancelled) return accepted
    return goodAnswer(resultResponse(id, result), exchange)
  } catch (error) {
    if (error instanceof CallCancelled) return accepted
    if (error instanceof ProtocolError) return errorAnswer(id, error, era)
    onUnexpected(error)
    return errorAnswer(id, new ProtocolError('internalError', 'Internal error'), era)
  } finally {
    exchange.answered()
    begun?.end(id)
    if (caller !== null) callers?.leave(caller)
  }
}

/** Two requests with one id at once could not be told apart when one is cancelled. */
function begin(id: RequestId, peer: Peer, cancellation: Cancellation): Peer {
  if (peer.begin(id, cancellation)) return peer
  throw new ProtocolError('invalidRequest', 'Invalid Request: a request with this id is in flight')
}

export function errorAnswer(id: RequestId | undefined, error: ProtocolError, era: Era): Answer {
  const answer = { status: era.statusOf(error), body: errorResponse(id, error) }
  if (error instanceof ForbiddenError) return { ...answer, missingScopes: error.missingScopes }
  return error instanceof LimitError ? { ...answer, retryAfterMs: error.retryAfterMs } : answer
}

function goodAnswer(body: string | Buffer, { opened }: Exchange): Answer {
  return opened === null ? { status: 200, body } : { status: 200, body, sessionId: opened.id }
}
