import { Call, type FeatureMethod } from '../call/call.js'
import type { RepeatableRound } from '../client-requests/client-request.js'
import { InputRequired } from '../client-requests/input-required.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import type { LoggingLevel } from '../context/logging-level.js'
import { type ClientInfo, McpContext } from '../context/mcp-context.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { Permit } from '../limits/call-limiter.js'
import { callerKey } from '../limits/caller-key.js'
import { errorResult } from '../plan/tool-result.js'
import { type JsonObject, plainId, type RpcRequest, resultResponse } from '../rpc/messages.js'
import { type Answer, cancelledAnswer, failureAnswer } from './answer.js'
import { CallClient } from './client-requests/call-client.js'
import type { Era, Method } from './era.js'
import type { Exchange } from './exchange.js'
import type { Peer } from './peer.js'
import type { Revision } from './revisions.js'

export interface RequestMeta {
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  readonly logLevel: LoggingLevel | null
  readonly all: JsonObject
}

export interface WritingMethod extends FeatureMethod {
  write(encoded: unknown, call: RequestCall): string
}

export interface RequestFacts {
  readonly revision: Revision
  readonly peer: Peer | null
  readonly meta: RequestMeta
  readonly isRetry: boolean
  readonly serve: Method
}

export interface Detached {
  readonly context: McpContext
  readonly cancellation: Cancellation
}

export class RequestCall extends Call {
  declare method: WritingMethod
  readonly revision: Revision
  readonly peer: Peer | null
  readonly client: CallClient
  readonly cancellation: Cancellation
  readonly context: McpContext
  newSessionId: string | null
  repeatable: RepeatableRound | null
  callerPermit: Permit | null
  #end: (() => void) | null

  constructor(
    readonly request: RpcRequest,
    readonly exchange: Exchange,
    readonly era: Era,
    readonly facts: RequestFacts,
    detached: Detached | null = null,
  ) {
    super()
    this.revision = facts.revision
    this.peer = facts.peer
    this.client = new CallClient(this)
    this.cancellation = detached?.cancellation ?? new Cancellation()
    this.context = detached?.context ?? createContext(this)
    this.newSessionId = null
    this.repeatable = null
    this.callerPermit = null
    this.#end = null
  }

  get caller(): string {
    return callerOf(this.exchange)
  }

  get exposeErrors(): boolean {
    return this.era.exposeErrors
  }

  run(): void {
    try {
      this.facts.serve(this)
    } catch (error) {
      this.fail(error)
    }
  }

  started(): void {
    const { exchange } = this
    if (!exchange.isAnswered) exchange.hooks?.started?.()
  }

  /**
   * Registers the function that ends an open-ended request. The request no longer counts as in flight, because open-ended
   * requests have separate limits.
   */
  whenClosing(end: () => void): void {
    const { exchange } = this
    this.#end = end
    this.callerPermit?.leave()
    exchange.admission?.leave()
    exchange.hooks?.openEnded?.()
  }

  closing(): void {
    this.#end?.()
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

  respond(result: string | Buffer): void {
    const { request, exchange, era, newSessionId } = this
    this.permit?.leave()
    // A cancelled request gets no result, even if its handler has finished.
    const { reason } = this.cancellation
    if (reason instanceof CallCancelled) {
      this.#answer(cancelledAnswer(reason, request, exchange, era))
      return
    }
    this.repeatable?.answered(result.toString())
    const body = resultResponse(request.id, result)
    this.#answer(newSessionId === null ? { status: 200, body } : { status: 200, body, sessionId: newSessionId })
  }

  fail(error: unknown): void {
    this.permit?.leave()
    let failure = error
    if (error instanceof InputRequired) {
      try {
        this.era.requireInput(error, this)
        return
      } catch (thrown) {
        failure = thrown
      }
    }
    this.#answer(failureAnswer(failure, this.request, this.exchange, this.era))
  }

  #answer(answer: Answer): void {
    this.repeatable?.answered(null)
    this.peer?.end(this.request.id)
    this.callerPermit?.leave()
    this.cancellation.deferred?.cancel()
    this.exchange.respond(answer)
  }
}

function createContext(call: RequestCall): McpContext {
  const { request, exchange, era, facts, revision, cancellation, client } = call
  const { sender } = exchange
  const { meta, isRetry } = facts
  return new McpContext({
    requestId: plainId(request.id),
    method: request.method,
    protocolVersion: revision.version,
    clientInfo: meta.clientInfo,
    clientCapabilities: meta.clientCapabilities,
    principal: sender.principal,
    transport: sender.transport,
    headers: sender.headers,
    meta: meta.all,
    cancellation,
    progressMessages: revision.progressMessages,
    logLevel: meta.logLevel,
    client,
    log: sender.log,
    changes: era.changes,
    isRetry,
  })
}

/** Returns the key that identifies the sender of a message for limits per caller. */
export function callerOf({ sender, address }: Pick<Exchange, 'sender' | 'address'>): string {
  return callerKey(sender.principal, address)
}
