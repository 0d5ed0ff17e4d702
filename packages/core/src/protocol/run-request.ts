import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import { AuthenticationError } from '../errors/authentication-error.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { CallLimiter } from '../limits/call-limiter.js'
import { type ExactId, plainId, type RpcRequest } from '../rpc/messages.js'
import { errorResponse, resultResponse } from '../rpc/respond.js'
import type { Call, Era, Method } from './era.js'
import { type Answer, cancelled, type Exchange } from './exchange.js'
import type { Peer } from './peer.js'

/** What holds for every request. */
export interface RequestRules {
  /** How often, and how many at once, each caller may send; `null`: no limit. */
  readonly callers: CallLimiter | null
}

/** What serves a request, once it is known to be in order. */
interface OpenedCall {
  readonly call: Call
  readonly method: Method
}

/** One request that is being answered. */
interface Run {
  readonly request: RpcRequest
  readonly exchange: Exchange
  readonly era: Era
  readonly cancellation: Cancellation
  /** Where its id is in flight. */
  started: Peer | null
}

/**
 * Serves one request from its first check to its answer. Neither throws nor rejects: whatever goes wrong has an answer.
 * Most methods have their result at once, and their requests are answered without a promise.
 */
export function runRequest(
  request: RpcRequest,
  exchange: Exchange,
  era: Era,
  { callers }: RequestRules,
): Answer | Promise<Answer> {
  const run: Run = { request, exchange, era, cancellation: new Cancellation(exchange.deferred), started: null }
  let opened: OpenedCall
  try {
    opened = open(run)
  } catch (error) {
    // Counted all the same: what makes no sense is sent as often as what does.
    return refuse(error, run, callers)
  }
  return callers === null ? serve(opened, run) : pass(callers, run, () => serve(opened, run))
}

/** Refuses a request before its era has looked at it. It counts like any other. */
export function refuseRequest(
  request: RpcRequest,
  error: ProtocolError,
  exchange: Exchange,
  era: Era,
  { callers }: RequestRules,
): Answer | Promise<Answer> {
  const run: Run = { request, exchange, era, cancellation: new Cancellation(exchange.deferred), started: null }
  return refuse(error, run, callers)
}

function refuse(error: unknown, run: Run, callers: CallLimiter | null): Answer | Promise<Answer> {
  return callers === null ? fail(error, run) : pass(callers, run, () => fail(error, run))
}

/** Lets a request through the gate of its caller. One that turns out to last is no longer counted as in flight. */
async function pass(callers: CallLimiter, run: Run, answer: () => Answer | Promise<Answer>): Promise<Answer> {
  const { exchange } = run
  try {
    return await callers.run(exchange.caller, (permit) => {
      exchange.occupies(permit)
      return answer()
    })
  } catch (error) {
    return fail(error, run)
  }
}

/** @throws ProtocolError */
function open(run: Run): OpenedCall {
  const { request, exchange, era, cancellation } = run
  const call = era.openCall(request, exchange, cancellation)
  exchange.setCall(call, era)
  if (call.peer !== null) run.started = begin(request.id, call.peer, cancellation)
  const method = era.findMethod(request.method, call.revision)
  if (method === undefined) throw era.unknownMethod(request.method)
  return { call, method }
}

function serve(opened: OpenedCall, run: Run): Answer | Promise<Answer> {
  try {
    const result = opened.method(opened.call)
    return result instanceof Promise ? settle(result, opened, run) : succeed(result, run)
  } catch (error) {
    return error instanceof InputRequired ? requireInput(error, opened, run) : fail(error, run)
  }
}

async function settle(result: Promise<string | Buffer>, opened: OpenedCall, run: Run): Promise<Answer> {
  try {
    return succeed(await result, run)
  } catch (error) {
    return error instanceof InputRequired ? requireInput(error, opened, run) : fail(error, run)
  }
}

/** What a handler throws to ask for input by hand has a result of its own. */
async function requireInput(required: InputRequired, { call, method }: OpenedCall, run: Run): Promise<Answer> {
  try {
    return succeed(await run.era.requireInput(required, call, method), run)
  } catch (error) {
    return fail(error, run)
  }
}

function succeed(result: string | Buffer, run: Run): Answer {
  return end(run, goodAnswer(result, run))
}

function fail(error: unknown, run: Run): Answer {
  return end(run, failure(error, run))
}

function goodAnswer(result: string | Buffer, run: Run): Answer {
  const { request, exchange, cancellation } = run
  // A client that cancelled wants no answer, also when the handler finished all the same.
  if (cancellation.reason instanceof CallCancelled) return cancelledAnswer(cancellation.reason, run)
  const body = resultResponse(request.id, result)
  const { opened } = exchange
  return opened === null ? { status: 200, body } : { status: 200, body, sessionId: opened }
}

function failure(error: unknown, run: Run): Answer {
  const { request, exchange, era } = run
  if (error instanceof CallCancelled) return cancelledAnswer(error, run)
  if (error instanceof ProtocolError) return errorAnswer(request.id, error, era)
  const { id: requestId, method } = request
  const errorId = errorIdOf(exchange)
  logFailure(exchange.log, error, { errorId, requestId: plainId(requestId), method }, 'a request failed unexpectedly')
  return errorAnswer(requestId, internalError(errorId), era)
}

/** Over plain HTTP a request has a response, also when its client cancelled it. */
function cancelledAnswer({ answer }: CallCancelled, { request, exchange, era }: Run): Answer {
  if (answer === null && exchange.canNotify) return cancelled
  return errorAnswer(request.id, answer ?? new ProtocolError('internalError', 'The request was cancelled'), era)
}

function end({ request, exchange, started }: Run, answer: Answer): Answer {
  exchange.answered()
  exchange.deferred.cancel()
  started?.end(request.id)
  return answer
}

/** Two requests with one id at once could not be told apart when one is cancelled. */
function begin(id: ExactId, peer: Peer, cancellation: Cancellation): Peer {
  if (peer.begin(id, cancellation)) return peer
  throw new ProtocolError('invalidRequest', 'Invalid Request: a request with this id is in flight')
}

export function errorAnswer(id: ExactId | undefined, error: ProtocolError, era: Era): Answer {
  const answer = { status: era.statusOf(error), body: errorResponse(id, error) }
  if (error instanceof ForbiddenError) return { ...answer, neededScopes: error.neededScopes }
  if (error instanceof AuthenticationError) return { ...answer, unauthorized: error }
  const { retryAfterMs } = error as Partial<LimitError>
  return error instanceof LimitError && retryAfterMs !== undefined ? { ...answer, retryAfterMs } : answer
}
