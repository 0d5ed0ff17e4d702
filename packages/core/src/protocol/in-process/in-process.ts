import type { Call, Step } from '../../call/call.js'
import { createHookSample } from '../../call/run-hooks.js'
import { InputRequired } from '../../client-requests/input-required.js'
import { text } from '../../content.js'
import { allowAnyListeners, CallCancelled, type Cancellation } from '../../context/cancellation.js'
import { type Caller, completePrincipal, type Principal } from '../../context/principal.js'
import { errorIdOf, internalError } from '../../errors/internal-error.js'
import { logFailure } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { copyOfScalars } from '../../plan/plain-data.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import type { ToolResult } from '../../plan/tool-result.js'
import { isJsonObject, type JsonObject, type RpcRequest } from '../../rpc/messages.js'
import { type JsonBounds, parseJsonText } from '../../rpc/parse-json.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Era, Method, ResultText } from '../era.js'
import { Exchange, type ExchangeInit } from '../exchange.js'
import { askAndRunAgain, LegacyClientRequester } from '../legacy/client-requests.js'
import { createFeatureMethods } from '../methods/feature-methods.js'
import { createPlainWriter } from '../methods/result-writer.js'
import { createToolCall, limitResult, unknownTool } from '../methods/tools.js'
import { RequestCall, type RequestFacts } from '../request-call.js'
import { latest } from '../revisions.js'
import { InProcessClient, type InProcessListeners, noMeta } from './in-process-client.js'
import type { CallToolResult } from './results.js'

/** Options of an in-process request: its caller, its cancellation, and functions for the messages of the handler. */
export interface InProcessOptions extends InProcessListeners {
  /** The caller. Default: unauthenticated. */
  readonly principal?: Caller | null | undefined
  /** Cancels the request. The promise of the request then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Serves requests of the process itself with the methods of the newest revision, without JSON-RPC messages. The messages of a
 * handler go to the functions of the caller.
 */
export class InProcess {
  // Created on first use, because most servers only serve remote clients.
  #methods: ReadonlyMap<string, Method> | null = null
  #callTool: Method | null = null
  #lastId = 0
  /** Objects that keep the code of calls compiled: see `#createSample`. */
  readonly sample: readonly object[]
  /** The era of callers that answer questions. They answer during the call, as legacy clients do. */
  readonly #askingEra: Era

  constructor(
    private readonly dependencies: ProtocolDependencies,
    private readonly era: Era,
  ) {
    const openClientRequester: Era['openClientRequester'] = (call) => new LegacyClientRequester(call, dependencies)
    this.#askingEra = { ...era, openClientRequester, requireInput: askAndRunAgain }
    this.sample = this.#createSample()
  }

  callTool(name: string, args: object, options: InProcessOptions): Promise<CallToolResult> {
    const { dependencies } = this
    this.#callTool ??= createToolCall(dependencies, { notFound: unknownTool(dependencies), startTask: runWithoutTask })
    return this.#run('tools/call', { name, arguments: args }, options, this.#callTool)
  }

  request<Result>(name: string, params: JsonObject, options: InProcessOptions): Promise<Result> {
    this.#methods ??= new Map(Object.entries(createFeatureMethods(createPlainWriter(this.dependencies, latest))))
    return this.#run(name, params, options, this.#methods.get(name) as Method)
  }

  async #run<Result>(
    name: string,
    params: JsonObject,
    { principal, signal, onElicit, onProgress }: InProcessOptions,
    method: Method,
  ): Promise<Result> {
    const { log } = this.dependencies
    const isListening = onElicit !== undefined || onProgress !== undefined
    const client = isListening ? new InProcessClient({ onElicit, onProgress }, log) : null
    const exchange = this.#openExchange(completePrincipal(principal ?? null), client)
    let stop = (): void => undefined
    let cancellation: Cancellation | null = null
    try {
      signal?.throwIfAborted()
      const checked = this.#copyArguments(params)
      const result = await new Promise<unknown>((resolve, reject) => {
        const call = this.#openCall(name, checked, exchange, method, { resolve, reject })
        cancellation = call.cancellation
        if (signal !== undefined) stop = followSignal(signal, call.cancellation)
        call.run()
      })
      // Drops a result that the handler returned despite the abort.
      signal?.throwIfAborted()
      return result as Result
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : this.#toCaller(error, name, params)
    } finally {
      exchange.isAnswered = true
      ;(cancellation as Cancellation | null)?.deferred?.cancel()
      stop()
    }
  }

  async list<Entry>(method: string, member: string, options: InProcessOptions): Promise<Entry[]> {
    const entries: Entry[] = []
    let cursor: string | undefined
    do {
      // oxlint-disable-next-line no-await-in-loop
      const page = await this.#page(method, cursor, options)
      entries.push(...((page[member] ?? []) as readonly Entry[]))
      cursor = page['nextCursor'] as string | undefined
      // With `compat.alwaysNextCursor`, the last page has an empty cursor.
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
    return { ...params, arguments: toPlainArguments(args ?? {}, this.dependencies.jsonBounds) }
  }

  #openCall(
    method: string,
    params: JsonObject,
    exchange: InProcessExchange,
    serve: Method,
    end: InProcessEnd,
  ): RequestCall {
    const { dependencies } = this
    const { client } = exchange
    const era = client === null ? this.era : this.#askingEra
    const request = { kind: 'request', id: ++this.#lastId, method, params } as const
    const { peer, meta } = client ?? facts
    const read = { ...facts, peer, meta, serve }
    return new InProcessCall(request, exchange, era, read, dependencies, end)
  }

  /**
   * Creates an object of each class that a call needs. These objects are never read, and hold no data of a request.
   *
   * When a full garbage collection finds no object of a shape (hidden class), V8 drops the code optimized for this shape. Short
   * calls leave no such objects behind, so V8 would drop the code of the whole request. These references keep the shapes.
   */
  #createSample(): readonly object[] {
    const request = { kind: 'request', id: 0, method: 'tools/call', params: nothing } as const
    const exchange = this.#openExchange(null, null)
    const serve = (): void => undefined
    const call = new RequestCall(request, exchange, this.era, { ...facts, serve })
    const end: InProcessEnd = { resolve: () => undefined, reject: () => undefined }
    const own = this.#openCall('tools/call', nothing, exchange, serve, end)
    // As after a call that has waited for a promise. The time limit is a fraction, because V8 stores the limits of calls as such.
    for (const { cancellation } of [call, own]) {
      void cancellation.race(Promise.resolve(), 0.5)
      cancellation.deferred?.cancel()
    }
    return [call, own, ...createHookSample(call), ...createHookSample(own)]
  }

  #openExchange(principal: Principal | null, client: InProcessClient | null): InProcessExchange {
    const { log } = this.dependencies
    const sender = { principal, transport: 'in-process', headers: null, log } as const
    return new InProcessExchange({ message: null, headers: null, sender }, client)
  }

  #toCaller(error: unknown, method: string, params: JsonObject): ProtocolError {
    if (error instanceof ProtocolError) return error
    if (error instanceof InputRequired) {
      return new ProtocolError(
        'internalError',
        'The handler called inputRequired, but an in-process call has no client',
      )
    }
    const errorId = errorIdOf(params)
    logFailure(this.dependencies.log, error, { errorId, method }, 'a request failed unexpectedly')
    return internalError(errorId)
  }
}

const nothing: JsonObject = Object.freeze({})
const facts = { revision: latest, peer: null, meta: noMeta, isRetry: false }

interface InProcessEnd {
  resolve(result: unknown): void
  reject(error: unknown): void
}

class InProcessCall extends RequestCall {
  constructor(
    request: RpcRequest,
    exchange: Exchange,
    era: Era,
    read: RequestFacts,
    private readonly dependencies: ProtocolDependencies,
    private readonly settle: InProcessEnd,
  ) {
    super(request, exchange, era, read)
  }

  override end(encoded: unknown): void {
    if (this.request.method !== 'tools/call') {
      super.end(encoded)
      return
    }
    this.permit?.leave()
    try {
      this.settle.resolve(toPlainResult(encoded as ToolResult, this.plan as ToolPlan, this.dependencies))
    } catch (error) {
      this.fail(error)
    }
  }

  override respond(result: ResultText): void {
    this.permit?.leave()
    this.settle.resolve(JSON.parse(result.toString()))
  }

  override fail(error: unknown): void {
    this.permit?.leave()
    if (!(error instanceof InputRequired) || this.peer === null) {
      this.settle.reject(error)
      return
    }
    try {
      this.era.requireInput(error, this)
    } catch (thrown) {
      this.settle.reject(thrown)
    }
  }
}

class InProcessExchange extends Exchange {
  constructor(
    init: ExchangeInit,
    /** `null`: nothing receives the messages of the handler. */
    readonly client: InProcessClient | null,
  ) {
    super(init)
    this.canNotify = client !== null
  }

  protected sendAnswer(): void {}

  send(json: string): void {
    this.client?.receive(json)
  }

  crash(): void {}
}

/** Runs the call without a task, even if the tool supports tasks, because the caller waits for the result. */
function runWithoutTask(call: Call, next: Step): void {
  next(call)
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

function followSignal(signal: AbortSignal, cancellation: Cancellation): () => void {
  const cancel = (): void => cancellation.cancel(new CallCancelled('the caller cancelled the request'))
  // The signal can have many listeners, because many calls can share one signal.
  allowAnyListeners(signal)
  signal.addEventListener('abort', cancel)
  return () => signal.removeEventListener('abort', cancel)
}

/**
 * Copies arguments of an in-process caller through JSON, so that the caller and the handler share no objects. Depth and size are
 * limited, because a model could have written the arguments.
 *
 * @throws ProtocolError -32602 for arguments that JSON cannot express, -32600 for arguments that exceed the limits.
 */
function toPlainArguments(args: object, bounds: JsonBounds): JsonObject {
  const plain = copyOfScalars(args, bounds.maxKeys) ?? parseJsonText(toJson(args), bounds)
  if (isJsonObject(plain)) return plain
  throw notAnObject()
}

function toJson(args: object): string {
  let json: string | undefined
  try {
    json = JSON.stringify(args)
  } catch {
    // The arguments have a cycle, a BigInt, or a nesting that overflows the stack.
    throw new ProtocolError('invalidParams', 'Invalid params: the arguments are not JSON')
  }
  if (json === undefined) throw notAnObject()
  return json
}

function notAnObject(): ProtocolError {
  return new ProtocolError('invalidParams', 'Invalid params: "arguments" must be an object')
}
