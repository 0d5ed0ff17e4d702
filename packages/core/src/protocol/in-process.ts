import { InputRequired } from '../client-requests/input-required.js'
import { text } from '../content.js'
import { allowAnyListeners, CallCancelled, Cancellation } from '../context/cancellation.js'
import { McpContext } from '../context/mcp-context.js'
import { type Caller, completePrincipal, type Principal } from '../context/principal.js'
import { errorIdOf, internalError } from '../errors/internal-error.js'
import { logFailure } from '../errors/log-failure.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { ToolPlan } from '../plan/tool-plan.js'
import type { ToolResult } from '../plan/tool-result.js'
import type { JsonObject, RequestId } from '../rpc/messages.js'
import type { ProtocolDependencies } from './dependencies.js'
import type { Call, Era, Method } from './era.js'
import { Exchange } from './exchange.js'
import { createFeatureMethods } from './methods/feature-methods.js'
import { createPlainWriter, type ServeTool } from './methods/result-writer.js'
import { createToolCall, limitResult } from './methods/tools.js'
import { toPlainArguments } from './plain-arguments.js'
import type { CallToolResult } from './results.js'
import { latest } from './revisions.js'

type ToolCall = (call: Call) => CallToolResult | Promise<CallToolResult>

/** Who calls from within the process, and for how long the result is wanted. */
export interface InProcessOptions {
  /** Default: nobody, who may do what callers without credentials may. */
  readonly principal?: Caller | null | undefined
  /** Cancels the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Serves requests of the process itself: by the methods that clients of the newest revision are served by, without
 * messages around them. Nobody is there to be asked, or to be told of progress.
 */
export class InProcess {
  // Made when they are first used: most servers only serve clients.
  #methods: ReadonlyMap<string, Method> | null = null
  #callTool: ToolCall | null = null
  #lastId = 0

  constructor(
    private readonly dependencies: ProtocolDependencies,
    private readonly era: Era,
  ) {}

  /** Calls a tool. @throws ProtocolError, the reason of the signal */
  callTool(name: string, args: object, options: InProcessOptions): Promise<CallToolResult> {
    this.#callTool ??= createToolCall(this.dependencies, withoutTask, (result, plan) =>
      toPlainResult(result, plan, this.dependencies),
    )
    return this.#run('tools/call', { name, arguments: args }, options, this.#callTool)
  }

  /** What another method answers. @throws ProtocolError, the reason of the signal */
  request<Result>(name: string, params: JsonObject, options: InProcessOptions): Promise<Result> {
    this.#methods ??= new Map(Object.entries(createFeatureMethods(createPlainWriter(this.dependencies, latest))))
    const method = this.#methods.get(name) as Method
    return this.#run<Result>(
      name,
      params,
      options,
      async (call) => JSON.parse((await method(call)).toString()) as Result,
    )
  }

  async #run<Result>(
    name: string,
    params: JsonObject,
    { principal, signal }: InProcessOptions,
    serve: (call: Call) => Result | Promise<Result>,
  ): Promise<Result> {
    const caller = completePrincipal(principal ?? null)
    const cancellation = new Cancellation()
    const stop = signal === undefined ? null : followSignal(signal, cancellation)
    try {
      signal?.throwIfAborted()
      const result = serve(this.#openCall(name, this.#copyArguments(params), caller, cancellation))
      if (!(result instanceof Promise) && stop === null) return result
      const settled = await result
      // The handler may have finished all the same.
      signal?.throwIfAborted()
      return settled
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : this.#toCaller(error, name, params)
    } finally {
      cancellation.deferred.cancel()
      stop?.()
    }
  }

  /** All entries of a list, from all of its pages. A kind of feature that is not served has an empty one. */
  async list<Entry>(method: string, member: string, options: InProcessOptions): Promise<Entry[]> {
    const entries: Entry[] = []
    let cursor: string | undefined
    do {
      // oxlint-disable-next-line no-await-in-loop
      const page = await this.#page(method, cursor, options)
      entries.push(...((page[member] ?? []) as readonly Entry[]))
      cursor = page['nextCursor'] as string | undefined
      // `compat.alwaysNextCursor` ends with an empty one.
    } while (cursor !== undefined && cursor !== '')
    return entries
  }

  async #page(method: string, cursor: string | undefined, options: InProcessOptions): Promise<JsonObject> {
    try {
      return await this.request<JsonObject>(method, cursor === undefined ? {} : { cursor }, options)
    } catch (error) {
      if (error instanceof ProtocolError && error.kind === 'methodNotFound') return {}
      throw error
    }
  }

  #copyArguments(params: JsonObject): JsonObject {
    const { arguments: args } = params
    if (args === undefined) return params
    return { ...params, arguments: toPlainArguments(args as object, this.dependencies.jsonBounds) }
  }

  #openCall(method: string, params: JsonObject, principal: Principal | null, cancellation: Cancellation): Call {
    const id: RequestId = ++this.#lastId
    const { log, changes, exposeErrors } = this.dependencies
    const request = { kind: 'request', id, method, params } as const
    const exchange = new Exchange({
      message: null,
      headers: null,
      principal,
      log,
      peer: null,
      sessions: null,
      notify: ignore,
      canNotify: false,
    })
    const context = new McpContext({
      requestId: id,
      method,
      protocolVersion: latest.version,
      clientInfo: null,
      clientCapabilities: nothing,
      principal,
      headers: null,
      meta: nothing,
      cancellation,
      progress: null,
      logLevel: null,
      client: exchange,
      log,
      changes,
      isRetry: false,
    })
    const call: Call = { request, exchange, peer: null, revision: latest, context, cancellation, exposeErrors }
    exchange.setCall(call, this.era)
    return call
  }

  #toCaller(error: unknown, method: string, params: JsonObject): ProtocolError {
    if (error instanceof ProtocolError) return error
    if (error instanceof InputRequired) {
      return new ProtocolError('internalError', 'The handler asked with inputRequired, which only a client can answer')
    }
    const errorId = errorIdOf(params)
    logFailure(this.dependencies.log, error, { errorId, method }, 'a request failed unexpectedly')
    return internalError(errorId)
  }
}

const nothing: JsonObject = Object.freeze({})

function ignore(): void {}

/** Who calls waits anyway. */
function withoutTask<Result>(_plan: ToolPlan, call: Call, serve: ServeTool<Result>): Result | Promise<Result> {
  return serve(call)
}

function toPlainResult(result: ToolResult, plan: ToolPlan, dependencies: ProtocolDependencies): CallToolResult {
  const { content, structured, isError, meta } = limitResult(result, plan, dependencies)
  return {
    content: content ?? [text(structured as string)],
    ...(structured === null ? {} : { structuredContent: JSON.parse(structured) as unknown }),
    ...(isError ? { isError } : {}),
    ...(meta === null ? {} : { _meta: meta }),
  }
}

/** @returns Stops following it. */
function followSignal(signal: AbortSignal, cancellation: Cancellation): () => void {
  const cancel = (): void => cancellation.cancel(new CallCancelled('the caller gave up'))
  // One signal may be that of many calls.
  allowAnyListeners(signal)
  signal.addEventListener('abort', cancel)
  return () => signal.removeEventListener('abort', cancel)
}
