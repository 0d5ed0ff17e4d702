import { InputRequired } from '../asking/input-required.js'
import { CallCancelled, Cancellation } from '../context/cancellation.js'
import { McpContext } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { JsonObject, RequestId } from '../rpc/messages.js'
import type { Call, Era, Method } from './era.js'
import { Exchange } from './exchange.js'
import { createFeatureMethods } from './methods/feature-methods.js'
import { toPlainArguments } from './plain-arguments.js'
import { latest } from './revisions.js'
import type { Served } from './served.js'

/** Who calls from within the process, and for how long the result is wanted. */
export interface InProcessOptions {
  /** Default: nobody, who may do what callers without credentials may. */
  readonly principal?: Principal | null | undefined
  /** Cancels the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Serves requests of the process itself: by the methods that clients of the newest revision are served by, without
 * messages around them. Nobody is there to be asked, or to be told of progress.
 */
export class InProcess {
  #methods: ReadonlyMap<string, Method> | null = null
  #lastId = 0

  constructor(
    private readonly served: Served,
    private readonly era: Era,
  ) {}

  /**
   * The result of a method, as a client would get it.
   *
   * @param args Its `arguments`, as the caller has them.
   * @throws ProtocolError, the reason of the signal
   */
  async request<Result>(name: string, params: JsonObject, options: InProcessOptions, args?: object): Promise<Result> {
    const { principal = null, signal } = options
    const cancellation = new Cancellation()
    const stop = signal === undefined ? null : followSignal(signal, cancellation)
    try {
      signal?.throwIfAborted()
      const all = args === undefined ? params : { ...params, arguments: toPlainArguments(args, this.served.maxDepth) }
      const result = this.#method(name)(this.#openCall(name, all, principal, cancellation))
      const json = result instanceof Promise ? await result : result
      // The handler may have finished all the same.
      signal?.throwIfAborted()
      return JSON.parse(json.toString()) as Result
    } catch (error) {
      throw this.#toCaller(error, signal)
    } finally {
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

  #method(name: string): Method {
    this.#methods ??= createMethods(this.served)
    const method = this.#methods.get(name)
    if (method === undefined) throw this.era.unknownMethod(name)
    return method
  }

  #openCall(method: string, params: JsonObject, principal: Principal | null, cancellation: Cancellation): Call {
    const id: RequestId = ++this.#lastId
    const { log, changes } = this.served
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
      clientCapabilities: noCapabilities,
      principal,
      headers: null,
      meta: noCapabilities,
      cancellation,
      progress: null,
      logLevel: null,
      client: exchange,
      log,
      changes,
      isRetry: false,
    })
    const call: Call = { request, exchange, peer: null, revision: latest, context, cancellation }
    exchange.serves(call, this.era)
    return call
  }

  #toCaller(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return signal.reason
    if (error instanceof ProtocolError) return error
    if (error instanceof InputRequired) {
      return new ProtocolError('internalError', 'The handler wants to be called again, which is for clients only')
    }
    this.served.log.error({ err: error }, 'a request failed unexpectedly')
    return new ProtocolError('internalError', 'Internal error')
  }
}

const noCapabilities: JsonObject = Object.freeze({})

function ignore(): void {}

function createMethods(served: Served): ReadonlyMap<string, Method> {
  return new Map(
    createFeatureMethods({
      served,
      revision: latest,
      completeResult: (members, meta) =>
        meta === null ? `{${members}}` : `{${members},"_meta":${JSON.stringify(meta)}}`,
      cacheHints: '',
      // Who calls waits anyway.
      callAsTask: (_plan, call, serve) => serve(call),
    }),
  )
}

/** @returns Stops following it. */
function followSignal(signal: AbortSignal, cancellation: Cancellation): () => void {
  const cancel = (): void => cancellation.cancel(new CallCancelled('the caller gave up'))
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel)
  return () => signal.removeEventListener('abort', cancel)
}
