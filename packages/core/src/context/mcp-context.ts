import type { Logger } from 'pino'
import type {
  ClientRequest,
  ClientRequester,
  ClientRequestOptions,
  InputRequest,
  RepeatableRound,
} from '../client-requests/client-request.js'
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
import type { MaybePromise } from '../timing/maybe-promise.js'
import type { Cancellation } from './cancellation.js'
import type { Changes } from './changes.js'
import { isAtLeast, type LoggingLevel } from './logging-level.js'
import type { Principal } from './principal.js'
import { openProgress, type ProgressListener, type ProgressUpdate, plainMeta, type Sender } from './progress.js'
import type { TransportName } from './viewer.js'

/** Name and version that the client reports. The values are not verified: use them for logs, never for decisions. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** HTTP headers by name. Names are in lower case, as in Node. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface ClientLink extends Sender {
  openClientRequester(): ClientRequester
  closeStream(): void
  readonly taskId?: string | null
  readonly sessionId?: string | null
}

type RequestFacts = Pick<
  McpContext,
  | 'requestId'
  | 'method'
  | 'protocolVersion'
  | 'clientInfo'
  | 'clientCapabilities'
  | 'principal'
  | 'transport'
  | 'headers'
  | 'meta'
  | 'changes'
>

interface McpContextInit extends RequestFacts {
  readonly cancellation: Cancellation
  readonly progressMessages: boolean
  readonly logLevel: LoggingLevel | null
  readonly client: ClientLink
  readonly log: Logger
  readonly isRetry: boolean
}

// The following functions are for code that runs handlers, and are not part of the public API.

export let clientRequesterOf: (context: McpContext) => ClientRequester | null

/**
 * Validates the answers and the state of a retry. Must be called before the handler runs.
 *
 * @returns The round, if it must be entered before the handler runs; otherwise `null`.
 * @throws ProtocolError
 */
export let openClientRequests: (context: McpContext) => RepeatableRound | null

export let openClientRequester: (context: McpContext) => ClientRequester

export let detachContext: (
  context: McpContext,
  own: Pick<McpContextInit, 'cancellation' | 'client' | 'isRetry'>,
  progress: ProgressListener,
) => McpContext

/**
 * One request, as its handler sees it. Inject the context as a method parameter, or into the constructor of a class. A class with
 * an injected context is instantiated for each call.
 */
export class McpContext {
  /** JSON-RPC id of the request. Unique only among the requests of this client that are in flight. */
  readonly requestId: RequestId
  /** Protocol method, such as `tools/call`. */
  readonly method: string
  /** Protocol revision of the request, such as `2026-07-28`. */
  readonly protocolVersion: string
  /** Name and version of the client; `null` when the client did not send them. */
  readonly clientInfo: ClientInfo | null
  /**
   * Capabilities of the client; empty when the client did not declare any. From a handshake, the server stores only the
   * capabilities `roots`, `sampling`, `elicitation` and `extensions`.
   */
  readonly clientCapabilities: JsonObject
  /** The authenticated caller; `null` when the caller is not authenticated. */
  readonly principal: Principal | null
  /** Transport of the request; `null` for a custom transport without a name. */
  readonly transport: TransportName | null
  /** Headers of the HTTP request, or of the WebSocket upgrade; `null` on transports without headers. */
  readonly headers: RequestHeaders | null
  /** The request's `_meta`, as sent by the client. */
  readonly meta: JsonObject
  /** Notifies clients of changes that this call causes, but that the catalog does not report. */
  readonly changes: Changes
  readonly #cancellation: Cancellation
  readonly #progressToken: unknown
  readonly #progressMessages: boolean
  readonly #logLevel: LoggingLevel | null
  readonly #client: ClientLink
  readonly #parentLog: Logger
  readonly #isRetry: boolean
  #log: Logger | null
  #progress: ProgressListener | null | undefined
  #clientRequester: ClientRequester | null

  constructor(init: McpContextInit) {
    this.requestId = init.requestId
    this.method = init.method
    this.protocolVersion = init.protocolVersion
    this.clientInfo = init.clientInfo
    this.clientCapabilities = init.clientCapabilities
    this.principal = init.principal
    this.transport = init.transport
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

  /**
   * Signal that aborts when the client cancels the call, when the call times out, and (from 2026-07-28 on) when the
   * client disconnects.
   */
  get signal(): AbortSignal {
    return this.#cancellation.signal
  }

  /** Id of this call's task; `null` if the call is not a task, or is not a task yet. */
  get taskId(): string | null {
    return this.#client.taskId ?? null
  }

  /**
   * Id of the client's session or connection, for {@link Changes.notify}; `null` for clients of 2026-07-28 and later,
   * and for older clients over HTTP that did not call `initialize`.
   */
  get sessionId(): string | null {
    return this.#client.sessionId ?? null
  }

  /** Minimum level of log messages that the client gets; `null`: the client gets none. */
  get logLevel(): LoggingLevel | null {
    return this.#logLevel
  }

  /**
   * Sends a log message to the client, unless the message is below the client's log level. If the client has set no level, a
   * legacy client gets messages from `info` on, and a modern client gets no messages. Do not include internal or secret data: the
   * client can read the message. Use {@link log} for the server's own log, which clients never see.
   *
   * @param data Any JSON value; `undefined` is sent as `null`.
   * @param logger Name of the message's source, by which the client can filter.
   */
  sendLogMessage(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.#logLevel === null || !isAtLeast(level, this.#logLevel)) return
    try {
      this.#client.notify(notification('notifications/message', { level, logger, data: data ?? null }))
    } catch (error) {
      // The data can contain values that JSON cannot express, such as a BigInt. An error in logging must not fail the call.
      tryLog(() => this.log.warn({ err: error }, 'a log message for the client could not be sent'))
    }
  }

  /** Sends a custom notification that belongs to this request. Clients ignore methods that they do not support. */
  sendNotification(method: string, params: JsonObject = {}): void {
    this.#client.notify(notification(method, params))
  }

  /** The server's logger. Each line has this request's id, method, revision, client name and task id. */
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
   * Sends a progress notification. Does nothing when the client did not ask for progress, or when the call was cancelled. The
   * spec requires progress to increase: an update that does not exceed the previous update is dropped. In a task, the update
   * becomes the task's `statusMessage`, which changes at most once a second.
   */
  progress(update: ProgressUpdate): void
  progress(progress: number, total?: number, message?: string): void
  progress(update: number | ProgressUpdate, total?: number, message?: string): void {
    if (this.#progress === undefined)
      this.#progress = openProgress(this.#progressToken, this.#progressMessages, this.#client)
    this.#progress?.report(typeof update === 'number' ? { progress: update, total, message } : update)
  }

  /**
   * Ends the HTTP response of this call now, so that no connection stays open while the call runs. The server stores later
   * messages, and the client reconnects to fetch them. Use this method for long calls behind proxies that limit the duration of a
   * response.
   *
   * Works only for clients that have a session in revision 2025-11-25. Does nothing for other clients.
   */
  closeStream(): void {
    this.#client.closeStream()
  }

  /**
   * Asks the user to fill in a form, and waits for the answer. The content of an accepted form matches `schema`.
   *
   * With a modern client (from 2026-07-28 on) the answer arrives in a new request. The handler ends at this call, and runs again
   * from the top when the client has answered. Wrap side effects in a {@link step}, so that they run once. A `catch` around this
   * call must rethrow errors that it does not handle.
   *
   * Use `await Promise.all([…])` to send several requests together. If a later run creates a different request, the answer to the
   * earlier request is ignored, and the client gets the new request. Generate random values in a step, so that they stay the same
   * in each run.
   *
   * @throws MissingCapabilityError if the client does not support forms.
   * @throws ClientRequestError if the client gives no valid answer, or the client's revision cannot express the form.
   */
  elicit<const Schema extends FormSchema>(options: ElicitOptions<Schema>): Promise<ElicitResult<FormContent<Schema>>> {
    return this.#ask(() => createFormRequest(options))
  }

  /**
   * Asks the user to open a web page, for data that must not pass through the client. Works like {@link elicit}.
   *
   * @throws MissingCapabilityError if the client cannot open web pages.
   * @throws ClientRequestError if the client gives no valid answer.
   */
  elicitUrl(options: ElicitUrlOptions): Promise<ElicitUrlResult> {
    return this.#ask(() => createUrlRequest(options))
  }

  /**
   * Samples the client's model: sends the model a conversation, and waits for the answer. Works like {@link elicit}.
   *
   * @throws MissingCapabilityError if the client does not support sampling.
   * @throws ClientRequestError if the client gives no valid answer.
   */
  sample(options: SampleOptions): Promise<SampleResult> {
    return this.#ask(() => createSamplingRequest(options))
  }

  /**
   * Requests the folders and files that the user allows servers to work in. Works like {@link elicit}. If a legacy client announces
   * changes of its roots, the server stores the roots for the session until such a change.
   *
   * @throws MissingCapabilityError if the client does not support roots.
   * @throws ClientRequestError if the client gives no valid answer.
   */
  listRoots(options: ClientRequestOptions = {}): Promise<readonly Root[]> {
    return this.#ask(() => createRootsRequest(options))
  }

  /**
   * Sends a client request in its wire format, as {@link elicit} does, and returns the answer as the client sent it. For handlers
   * that pass on the request of another server. Neither the request nor the answer is validated.
   *
   * @throws MissingCapabilityError if the client does not support the request.
   * @throws ClientRequestError if the client gives no answer.
   */
  askClient(request: InputRequest, { key }: ClientRequestOptions = {}): Promise<unknown> {
    return this.#ask(() => ({ request, key, read: (answer) => answer }))
  }

  /**
   * Runs a function once per call, even if the handler runs several times, or if the client repeats a round. Later runs get the
   * result of the first run. The result must be JSON, because modern clients store the encrypted result. A step that throws runs
   * again in the next run. So does a step that was running when its process was killed.
   *
   * @param name Name of the step, unique within the handler.
   */
  step<Result>(name: string, run: () => MaybePromise<Result>): Promise<Result> {
    return this.#asked().step(name, run)
  }

  /**
   * Turns this call into a task: the client gets the task's id as its answer, and the handler continues in the background.
   * Earlier client requests belong to the call, and later client requests belong to the task.
   *
   * Works only for tools with `taskStart: 'by-handler'`. Does nothing if the client does not support tasks.
   */
  async startTask(): Promise<void> {
    await this.#asked().startTask?.()
    // Log lines include the task's id from here on.
    this.#log = null
  }

  /** The client's answers to the requests of `inputRequired`, by key. The answers are not validated. */
  get inputResponses(): JsonObject {
    return this.#asked().inputResponses
  }

  /** The `requestState` passed to `inputRequired` in the previous round; `undefined` in the first round. */
  get requestState(): unknown {
    return this.#asked().requestState
  }

  #ask<Answer>(create: () => ClientRequest<Answer>): Promise<Answer> {
    const answer = this.#askWith(create)
    // If the handler does not await the promise, an unhandled rejection would end the process.
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
      return context.#isRetry ? context.#asked().repeatable : null
    }
    openClientRequester = (context) => context.#asked()
    detachContext = (context, own, progress) => {
      const [logLevel, log] = [context.#logLevel, context.#parentLog]
      // oxlint-disable-next-line typescript/no-misused-spread -- copies the public fields, which the constructor needs
      const detached = new McpContext({ ...context, progressMessages: false, logLevel, log, ...own })
      detached.#progress = progress
      // Validate the retry in the original context: until the call is a task, the copy sends client requests through the original
      // context.
      if (own.isRetry) openClientRequests(context)
      return detached
    }
  }
}
ownedHere(McpContext)
