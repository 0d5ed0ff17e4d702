import { CallCancelled } from '../context/cancellation.js'
import { AuthenticationError } from '../errors/authentication-error.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { UnknownFeatureError } from '../errors/unknown-feature-error.js'
import { type ExactId, errorResponse, plainId, type RpcRequest, readMessage } from '../rpc/messages.js'
import type { Era } from './era.js'
import type { Exchange } from './exchange.js'

/** A response. The body is JSON as a string or as bytes, or is absent. */
export interface Answer {
  /** HTTP status. Transports other than HTTP ignore the status. */
  readonly status: number
  readonly body: string | Buffer | null
  /** Id of the session that `initialize` opened, for transports that send the id in a header. */
  readonly sessionId?: string
  /** Scopes that the operation requires. Set if the caller lacks access, for transports that send `WWW-Authenticate`. */
  readonly neededScopes?: readonly string[]
  /** Set if the caller has to authenticate, for transports that send `WWW-Authenticate`. */
  readonly unauthorized?: AuthenticationError
  /** Set if the request named a feature that does not exist, or is hidden from the caller. */
  readonly unknownFeature?: UnknownFeatureError
  /** Delay before the client should retry, in milliseconds. Set if a limit rejected the request. */
  readonly retryAfterMs?: number
}

/** Reply to messages without a JSON-RPC response: notifications, and answers of the client. */
export const accepted: Answer = Object.freeze({ status: 202, body: null })

/** Reply to cancelled requests, on transports that can end a request without a message. */
export const cancelled: Answer = Object.freeze({ status: 200, body: null })

export function errorAnswer(id: ExactId | undefined, error: ProtocolError, era: Era): Answer {
  const answer = { status: era.statusOf(error), body: errorResponse(id, error) }
  if (error instanceof ForbiddenError) return { ...answer, neededScopes: error.neededScopes }
  if (error instanceof AuthenticationError) return { ...answer, unauthorized: error }
  if (error instanceof UnknownFeatureError) return { ...answer, unknownFeature: error }
  const { retryAfterMs } = error as Partial<LimitError>
  return error instanceof LimitError && retryAfterMs !== undefined ? { ...answer, retryAfterMs } : answer
}

export function failureAnswer(error: unknown, request: RpcRequest, exchange: Exchange, era: Era): Answer {
  const { id, method } = request
  if (error instanceof CallCancelled) return cancelledAnswer(error, request, exchange, era)
  if (error instanceof ProtocolError) return errorAnswer(id, forEra(error, request, era), era)
  const errorId = errorIdOf(exchange)
  logFailure(exchange.sender.log, error, { errorId, requestId: plainId(id), method }, unexpected)
  return errorAnswer(id, internalError(errorId), era)
}

const unexpected = 'a request failed unexpectedly'

/** Returns the answer to a cancelled request. Over HTTP without an event stream, even a cancelled request gets a response. */
export function cancelledAnswer({ answer }: CallCancelled, { id }: RpcRequest, exchange: Exchange, era: Era): Answer {
  if (answer === null && exchange.canNotify) return cancelled
  return errorAnswer(id, answer ?? new ProtocolError('internalError', 'The request was cancelled'), era)
}

/**
 * Replaces the error for a missing resource, which has a different code in legacy revisions. Spec: server/resources, "Error
 * Handling".
 */
function forEra(error: ProtocolError, { method }: RpcRequest, { name }: Era): ProtocolError {
  if (error.kind !== 'resourceNotFound' || method !== 'resources/read' || name !== 'legacy') return error
  return new ProtocolError('legacyResourceNotFound', error.message, error.data)
}

export function failExchange(error: unknown, exchange: Exchange): void {
  const message = readMessage(exchange.message)
  if (message.kind === 'notification' || message.kind === 'response') {
    exchange.crash(error)
    return
  }
  const errorId = errorIdOf(exchange)
  logFailure(exchange.sender.log, error, { errorId }, unexpected)
  exchange.respond({ status: 500, body: errorResponse(message.id, internalError(errorId)) })
  // The call may have begun. Its result can no longer be sent.
  exchange.call?.cancellation.cancel(new CallCancelled('the request failed'))
}
