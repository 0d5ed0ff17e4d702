import { Call, type FeatureMethod } from '../call/call.js'
import type { RepeatableRound } from '../client-requests/client-request.js'
import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import type { LoggingLevel } from '../context/logging-level.js'
import { type ClientInfo, McpContext } from '../context/mcp-context.js'
import { AuthenticationError } from '../errors/authentication-error.js'
import { ForbiddenError } from '../errors/forbidden-error.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { LimitError } from '../errors/limit-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import { UnknownFeatureError } from '../errors/unknown-feature-error.js'
import type { CallLimiter, Permit } from '../limits/call-limiter.js'
import { errorResult } from '../plan/tool-result.js'
import {
  type ExactId,
  errorResponse,
  type JsonObject,
  plainId,
  type RpcRequest,
  resultResponse,
} from '../rpc/messages.js'
import type { ProtocolDependencies } from './dependencies.js'
import type { Era, Method } from './era.js'
import { type Answer, cancelled, type Exchange } from './exchange.js'
import type { Peer } from './peer.js'
import type { Revision } from './revisions.js'

/** Facts about the client of a request: from its `_meta`, or from its handshake. */
export interface RequestMeta {
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  /** Minimum level of log messages for the client; `null`: no log messages are sent. */
  readonly logLevel: LoggingLevel | null
  /** The `_meta` of the request. */
  readonly all: JsonObject
}

/** A method that encodes its result as JSON for the client. */
export interface WritingMethod extends FeatureMethod {
  /** @returns The result as JSON. */
  write(encoded: unknown, call: RequestCall): string
}

/** One request of a client, from its first check to its response. */
export class RequestCall extends Call {
  declare method: WritingMethod
  context: McpContext
  revision: Revision
  /** The connection or session of the request, which tracks the ids of requests in flight. */
  peer: Peer | null = null
  exposeErrors = false
  protocolMethod: Method
  /** Number of times that the handler used `inputRequired` and was run again. */
  rounds = 0
  /** The round of this request, if the client can repeat it. */
  repeatable: RepeatableRound | null = null
  #callerPermit: Permit | null = null
  #isInFlight = false

  constructor(
    readonly request: RpcRequest,
    readonly exchange: Exchange,
    readonly era: Era,
    readonly cancellation = new Cancellation(exchange.deferred),
  ) {
    super()
    // The era assigns the context when the era opens the call.
    this.context = null as never
    this.revision = null as never
    this.protocolMethod = null as never
  }

  get caller(): string {
    return this.exchange.caller
  }

  /**
   * Serves the request. The response is sent to the exchange, synchronously if the method returns synchronously.
   *
   * @param callers Limits the rate and concurrency of each caller; `null`: no limit.
   */
  receive(callers: CallLimiter | null): void {
    const { request, era } = this
    try {
      era.openCall(this)
      if (this.peer !== null) this.#begin(this.peer)
      this.protocolMethod = era.findMethod(request.method, this.revision)
    } catch (error) {
      // Even invalid requests count toward the limits.
      this.reject(error, callers)
      return
    }
    if (callers === null) this.run()
    else this.#enter(callers, () => this.run())
  }

  /**
   * Creates the context of the call. Called by the era, when the request is valid.
   *
   * @param isRetry Whether the request carries answers or state of an earlier round.
   */
  open(
    revision: Revision,
    peer: Peer | null,
    meta: RequestMeta,
    { changes, exposeErrors }: ProtocolDependencies,
    isRetry = false,
  ): void {
    const { request, exchange, cancellation } = this
    this.revision = revision
    this.peer = peer
    this.exposeErrors = exposeErrors
    this.context = new McpContext({
      requestId: plainId(request.id),
      method: request.method,
      protocolVersion: revision.version,
      clientInfo: meta.clientInfo,
      clientCapabilities: meta.clientCapabilities,
      principal: exchange.principal,
      transport: exchange.transport,
      headers: exchange.contextHeaders,
      meta: meta.all,
      cancellation,
      progressMessages: revision.progressMessages,
      logLevel: meta.logLevel,
      client: exchange,
      log: exchange.log,
      changes,
      isRetry,
    })
    exchange.setCall(this)
  }

  /** Rejects the request. Even rejected requests count toward the limits. */
  reject(error: unknown, callers: CallLimiter | null): void {
    if (callers === null) this.fail(error)
    else this.#enter(callers, () => this.fail(error))
  }

  /** Runs the method. Called again after the client has answered `inputRequired`. */
  run(): void {
    this.runMethod(this.protocolMethod)
  }

  runMethod(method: Method): void {
    try {
      method(this)
    } catch (error) {
      this.fail(error)
    }
  }

  #enter(callers: CallLimiter, proceed: () => void): void {
    callers.enter(this.exchange.caller).then(
      (permit) => this.#entered(permit, proceed),
      (error: unknown) => this.fail(error),
    )
  }

  #entered(permit: Permit, proceed: () => void): void {
    this.#callerPermit = permit
    // The exchange releases the permit early if the request is open-ended.
    this.exchange.occupies(permit)
    proceed()
  }

  /** Registers the request. Ids in flight must be unique, because a cancellation identifies its request by the id. */
  #begin(peer: Peer): void {
    if (!peer.begin(this.request.id, this.cancellation)) {
      throw new ProtocolError('invalidRequest', 'Invalid Request: a request with this id is in flight')
    }
    this.#isInFlight = true
  }

  started(): void {
    if (!this.exchange.isAnswered) this.exchange.started()
  }

  end(encoded: unknown): void {
    let result: string
    try {
      result = this.method.write(encoded, this)
    } catch (error) {
      this.fail(error)
      return
    }
    this.respond(result)
  }

  rejectArguments(message: string): void {
    if (this.revision.invalidArguments === 'result') this.end(errorResult(message))
    else this.fail(new ProtocolError('invalidParams', 'Invalid params', { detail: message }))
  }

  /** Sends a result. @param result JSON as a string or bytes. */
  respond(result: string | Buffer): void {
    this.permit?.leave()
    // A cancelled request gets no result, even if its handler has finished.
    const { reason } = this.cancellation
    if (reason instanceof CallCancelled) {
      this.#answer(this.#cancelledAnswer(reason))
      return
    }
    this.repeatable?.answered(result.toString())
    const body = resultResponse(this.request.id, result)
    const { newSessionId } = this.exchange
    this.#answer(newSessionId === null ? { status: 200, body } : { status: 200, body, sessionId: newSessionId })
  }

  fail(error: unknown): void {
    this.permit?.leave()
    if (error instanceof InputRequired) this.#requireInput(error)
    else this.#answer(this.#failure(error))
  }

  /** Handles the error that `inputRequired` throws. */
  #requireInput(required: InputRequired): void {
    try {
      this.era.requireInput(required, this)
    } catch (error) {
      this.#answer(this.#failure(error))
    }
  }

  #failure(error: unknown): Answer {
    const { request, exchange, era } = this
    if (error instanceof CallCancelled) return this.#cancelledAnswer(error)
    if (error instanceof ProtocolError) return errorAnswer(request.id, inRevision(error, this), era)
    const { id: requestId, method } = request
    const errorId = errorIdOf(exchange)
    logFailure(exchange.log, error, { errorId, requestId: plainId(requestId), method }, 'a request failed unexpectedly')
    return errorAnswer(requestId, internalError(errorId), era)
  }

  /** Returns the answer to a cancelled request. Over HTTP without an event stream, even a cancelled request gets a response. */
  #cancelledAnswer({ answer }: CallCancelled): Answer {
    const { request, exchange, era } = this
    if (answer === null && exchange.canNotify) return cancelled
    return errorAnswer(request.id, answer ?? new ProtocolError('internalError', 'The request was cancelled'), era)
  }

  #answer(answer: Answer): void {
    this.repeatable?.answered(null)
    if (this.#isInFlight) this.peer?.end(this.request.id)
    this.#isInFlight = false
    this.#callerPermit?.leave()
    this.exchange.answer(answer)
  }
}

/**
 * Replaces the error for a missing resource, which has a different code in legacy revisions. Spec: server/resources, "Error
 * Handling".
 */
function inRevision(error: ProtocolError, { request, revision }: RequestCall): ProtocolError {
  if (error.kind !== 'resourceNotFound' || request.method !== 'resources/read' || revision.era !== 'legacy')
    return error
  return new ProtocolError('legacyResourceNotFound', error.message, error.data)
}

export function errorAnswer(id: ExactId | undefined, error: ProtocolError, era: Era): Answer {
  const answer = { status: era.statusOf(error), body: errorResponse(id, error) }
  if (error instanceof ForbiddenError) return { ...answer, neededScopes: error.neededScopes }
  if (error instanceof AuthenticationError) return { ...answer, unauthorized: error }
  if (error instanceof UnknownFeatureError) return { ...answer, unknownFeature: error }
  const { retryAfterMs } = error as Partial<LimitError>
  return error instanceof LimitError && retryAfterMs !== undefined ? { ...answer, retryAfterMs } : answer
}

/** A copy of a call for a handler that continues after the response, or whose result is not sent to the client. */
export class DetachedCall extends RequestCall {
  constructor(
    outer: RequestCall,
    context: McpContext,
    cancellation: Cancellation,
    private readonly settle: DetachedEnd,
  ) {
    super(outer.request, outer.exchange, outer.era, cancellation)
    this.context = context
    this.revision = outer.revision
    this.peer = outer.peer
    this.exposeErrors = outer.exposeErrors
    this.protocolMethod = outer.protocolMethod
    this.plan = outer.plan
    this.method = outer.method
    this.args = outer.args
    this.uri = outer.uri
    this.featureName = outer.featureName
  }

  override respond(result: string | Buffer): void {
    this.permit?.leave()
    this.settle.resolve(result.toString())
  }

  override fail(error: unknown): void {
    this.permit?.leave()
    this.settle.reject(error)
  }
}

interface DetachedEnd {
  resolve(result: string): void
  reject(error: unknown): void
}
