import type { Logger } from 'pino'
import type { ClientRequest, ClientRequester, ClientRequestOptions } from '../client-requests/client-request.js'
import {
  createFormRequest,
  createUrlRequest,
  type ElicitOptions,
  type ElicitResult,
  type ElicitUrlOptions,
  type ElicitUrlResult,
} from '../client-requests/elicitation.js'
import type { FormContent, FormSchema } from '../client-requests/form-schema.js'
import { createRootsRequest, type Root } from '../client-requests/roots.js'
import { createSamplingRequest, type SampleOptions, type SampleResult } from '../client-requests/sampling.js'
import { ownedHere } from '../copies/copies.js'
import { tryLog } from '../errors/log-failure.js'
import { type JsonObject, notification, type RequestId } from '../rpc/messages.js'
import type { Cancellation } from './cancellation.js'
import type { Changes } from './changes.js'
import { isAtLeast, type LoggingLevel } from './logging-level.js'
import type { Principal } from './principal.js'
import { openProgress, type ProgressReporter, type ProgressUpdate, plainMeta, type Sender } from './progress.js'

/** Who the client says it is. Self-reported: good for logs, never for decisions. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** HTTP headers by name. Names are in lower case, as Node has them. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The way to the client of one request. */
export interface ClientLink extends Sender {
  /** Makes what the call asks its client with. @throws ProtocolError */
  openClientRequester(): ClientRequester
  /** See {@link McpContext.closeStream}. */
  closeStream(): void
  /** See {@link McpContext.taskId}. */
  readonly taskId?: string | null
}

/** What a handler is told of its request. */
type RequestFacts = Pick<
  McpContext,
  | 'requestId'
  | 'method'
  | 'protocolVersion'
  | 'clientInfo'
  | 'clientCapabilities'
  | 'principal'
  | 'headers'
  | 'meta'
  | 'changes'
>

/** What a context is made of. */
interface McpContextInit extends RequestFacts {
  readonly cancellation: Cancellation
  /** Whether the revision has messages of progress (from 2025-03-26 on). */
  readonly progressMessages: boolean
  /** The least severe log message that the client wants; `null`: none. */
  readonly logLevel: LoggingLevel | null
  readonly client: ClientLink
  readonly log: Logger
  /** Whether the request brings what an earlier round asked for. */
  readonly isRetry: boolean
}

// What follows is for whatever runs handlers, and no part of what a handler sees.

/** What a call asked with; `null` when it asked nothing. */
export let clientRequesterOf: (context: McpContext) => ClientRequester | null

/** To be called before the handler runs: checks what a retry brings. @throws ProtocolError */
export let openClientRequests: (context: McpContext) => void

/** What a call asks with, made where it has asked nothing yet. @throws ProtocolError */
export let openClientRequester: (context: McpContext) => ClientRequester

/** The same request, for a handler that outlives it. It reports no progress. */
export let detachContext: (
  context: McpContext,
  own: Pick<McpContextInit, 'cancellation' | 'client' | 'isRetry'>,
) => McpContext

/**
 * One request, as a handler sees it. Ask for it as a method parameter, or in the constructor of a class (which is then
 * made anew for each call).
 */
export class McpContext {
  /** The JSON-RPC id. Unique only among the requests that this client has in flight. */
  readonly requestId: RequestId
  /** The method of the protocol, such as `tools/call`. */
  readonly method: string
  /** The revision that this request is served in, such as `2026-07-28`. */
  readonly protocolVersion: string
  /** Name and version of the client; `null` when it did not say. */
  readonly clientInfo: ClientInfo | null
  /**
   * What the client can do; empty when it did not say. Of what a client says in a handshake, only `roots`, `sampling`,
   * `elicitation` and `extensions` are kept.
   */
  readonly clientCapabilities: JsonObject
  /** The authenticated caller; `null` when the transport authenticates nobody. */
  readonly principal: Principal | null
  /** HTTP request headers, on a WebSocket those that opened it; `null` on transports without any. */
  readonly headers: RequestHeaders | null
  /** The request's `_meta`, as sent. */
  readonly meta: JsonObject
  /** Tells clients of what this call changed, where the catalog cannot know it. */
  readonly changes: Changes
  readonly #cancellation: Cancellation
  readonly #progressToken: unknown
  readonly #progressMessages: boolean
  readonly #logLevel: LoggingLevel | null
  readonly #client: ClientLink
  readonly #parentLog: Logger
  readonly #isRetry: boolean
  #log: Logger | null
  #progress: ProgressReporter | null | undefined
  #clientRequester: ClientRequester | null

  constructor(init: McpContextInit) {
    this.requestId = init.requestId
    this.method = init.method
    this.protocolVersion = init.protocolVersion
    this.clientInfo = init.clientInfo
    this.clientCapabilities = init.clientCapabilities
    this.principal = init.principal
    this.headers = init.headers
    this.meta = typeof init.meta['progressToken'] === 'bigint' ? plainMeta(init.meta) : init.meta
    this.#progressToken = init.meta['progressToken']
    this.changes = init.changes
    this.#cancellation = init.cancellation
    this.#progressMessages = init.progressMessages
    this.#logLevel = init.logLevel
    this.#client = init.client
    this.#parentLog = init.log
    this.#isRetry = init.isRetry
    this.#log = null
    this.#progress = undefined
    this.#clientRequester = null
  }

  /** Aborts when the client cancels or (from 2026-07-28 on) disconnects, and when the call times out. */
  get signal(): AbortSignal {
    return this.#cancellation.signal
  }

  /** The id of the task that this call is, as its client knows it; `null` where it is none, or not yet. */
  get taskId(): string | null {
    return this.#client.taskId ?? null
  }

  /**
   * Sends a log message to the client, if it wants messages of this severity. Unlike {@link log}, which the client never
   * sees: put nothing in here that is not for its eyes.
   *
   * @param data Any JSON value; `undefined` goes out as `null`.
   * @param logger What the message is from, for the client to filter by.
   */
  sendLogMessage(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.#logLevel === null || !isAtLeast(level, this.#logLevel)) return
    try {
      this.#client.notify(notification('notifications/message', { level, logger, data: data ?? null }))
    } catch (error) {
      // Such as a BigInt: a message is not worth the call that it tells of.
      tryLog(() => this.log.warn({ err: error }, 'a log message for the client could not be sent'))
    }
  }

  /** Sends a notification of the application's own that belongs to this request. Clients ignore methods they do not know. */
  sendNotification(method: string, params: JsonObject = {}): void {
    this.#client.notify(notification(method, params))
  }

  /** The server's logger, with this request's id, method, revision and client on each line, and the id of its task. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({
      requestId: this.requestId,
      method: this.method,
      protocolVersion: this.protocolVersion,
      client: this.clientInfo?.name,
      taskId: this.taskId ?? undefined,
    })
    return this.#log
  }

  /**
   * Tells the client how far the call is. Does nothing when the client did not ask for progress or the call was
   * cancelled, and leaves out an update that is not beyond the last one.
   */
  progress(update: ProgressUpdate): void
  progress(progress: number, total?: number, message?: string): void
  progress(update: number | ProgressUpdate, total?: number, message?: string): void {
    if (this.#progress === undefined)
      this.#progress = openProgress(this.#progressToken, this.#progressMessages, this.#client)
    this.#progress?.report(typeof update === 'number' ? { progress: update, total, message } : update)
  }

  /**
   * Ends the HTTP response of this call now, so that no connection is held open while it runs. The client comes back for
   * the rest, which is kept for it. For long calls behind proxies that cut long responses.
   *
   * Only a client with a session in revision 2025-11-25 can come back; for every other one this does nothing.
   */
  closeStream(): void {
    this.#client.closeStream()
  }

  /**
   * Asks the user to fill in a form, and waits for the answer, which fits `schema`.
   *
   * From 2026-07-28 on the wait spans two requests: the handler ends here, and runs again from the top with the answer.
   * Wrap what must happen once in a {@link step}, and let a `catch` around this throw again what it does not know.
   * `await Promise.all([…])` asks several questions at once. A question that has changed by then is asked again: make what
   * is random in it in a step.
   *
   * @throws MissingCapabilityError, ClientRequestError
   */
  elicit<const Schema extends FormSchema>(options: ElicitOptions<Schema>): Promise<ElicitResult<FormContent<Schema>>> {
    return this.#ask(() => createFormRequest(options))
  }

  /** Asks the user to open a web page: for what must not pass through the client. Otherwise as {@link elicit}. */
  elicitUrl(options: ElicitUrlOptions): Promise<ElicitUrlResult> {
    return this.#ask(() => createUrlRequest(options))
  }

  /** Asks the client's model. Otherwise as {@link elicit}. */
  sample(options: SampleOptions): Promise<SampleResult> {
    return this.#ask(() => createSamplingRequest(options))
  }

  /** Asks the client for the folders that the user lets servers work in. Otherwise as {@link elicit}. */
  listRoots(options: ClientRequestOptions = {}): Promise<readonly Root[]> {
    return this.#ask(() => createRootsRequest(options))
  }

  /**
   * Runs something once, however often the handler runs until all its questions are answered: later runs get the result
   * of the first. The result travels over the client, encrypted, as JSON. A step that throws runs again.
   *
   * @param name Another one for each step of the handler.
   */
  step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result> {
    return this.#asked().step(name, run)
  }

  /**
   * Makes this call a task from here on: its client is answered, and the handler goes on in the background. What the
   * handler asks before this is asked in the call; what it asks afterwards is put on the task.
   *
   * Only for tools with `taskStart: 'by-handler'`. Does nothing for a client that takes no tasks.
   */
  async startTask(): Promise<void> {
    await this.#asked().startTask?.()
    // From here on its lines name the task.
    this.#log = null
    this.#progress = undefined
  }

  /** Answers to what the handler asked with `inputRequired`, by key and unchecked. */
  get inputResponses(): JsonObject {
    return this.#asked().inputResponses
  }

  /** The `requestState` that the handler gave to `inputRequired`; `undefined` when it is not run again. */
  get requestState(): unknown {
    return this.#asked().requestState
  }

  #ask<Answer>(create: () => ClientRequest<Answer>): Promise<Answer> {
    const answer = this.#askWith(create)
    // Nobody may wait for it any more when it fails, which must not end the process.
    answer.catch(() => undefined)
    return answer
  }

  async #askWith<Answer>(create: () => ClientRequest<Answer>): Promise<Answer> {
    return this.#asked().ask(create())
  }

  #asked(): ClientRequester {
    this.#clientRequester ??= this.#client.openClientRequester()
    return this.#clientRequester
  }

  static {
    clientRequesterOf = (context) => context.#clientRequester
    openClientRequests = (context) => {
      if (context.#isRetry) context.#asked()
    }
    openClientRequester = (context) => context.#asked()
    detachContext = (context, own) => {
      const [logLevel, log] = [context.#logLevel, context.#parentLog]
      // oxlint-disable-next-line typescript/no-misused-spread -- its own members are what another is made of
      const detached = new McpContext({ ...context, progressMessages: false, logLevel, log, ...own })
      detached.#progress = null
      // Until it becomes a task, it asks as the request does: what a retry brings is checked there.
      if (own.isRetry) openClientRequests(context)
      return detached
    }
  }
}
ownedHere(McpContext)
