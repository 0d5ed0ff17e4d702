import type { Logger } from 'pino'
import type { JsonObject, RequestId } from '../rpc/messages.js'
import { notification } from '../rpc/respond.js'
import type { Cancellation } from './cancellation.js'
import type { Changes } from './changes.js'
import { isAtLeast, type LoggingLevel } from './logging-level.js'
import type { Principal } from './principal.js'
import type { ProgressReporter, ProgressUpdate } from './progress.js'

/** Who the client says it is. Self-reported: good for logs, never for decisions. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
  readonly title?: string
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The way on which a call's messages go to its client. */
export interface ResponseStream {
  closeStream(): void
}

/** What a context is made of; see the fields of {@link McpContext}. */
export interface McpContextInit {
  readonly requestId: RequestId
  readonly method: string
  readonly protocolVersion: string
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  readonly principal: Principal | null
  readonly headers: RequestHeaders | null
  readonly meta: JsonObject
  readonly cancellation: Cancellation
  readonly progress: ProgressReporter | null
  readonly stream: ResponseStream
  /** The least severe log message that the client wants; `null`: none. */
  readonly logLevel: LoggingLevel | null
  /** Sends a notification that belongs to this request. */
  readonly notify: (json: string) => void
  readonly log: Logger
  readonly changes: Changes
}

/**
 * One request, as a handler sees it. Ask for it as a method parameter, or in the constructor of a class (which is then
 * made anew for each call).
 */
export class McpContext {
  /** The JSON-RPC id. Unique only among the requests that this client has in flight. */
  readonly requestId: RequestId
  /** Such as `tools/call`. */
  readonly method: string
  /** The revision that this request is served in, such as `2026-07-28`. */
  readonly protocolVersion: string
  /** `null` when the client did not say. */
  readonly clientInfo: ClientInfo | null
  /** What the client can do; empty when it did not say. */
  readonly clientCapabilities: JsonObject
  /** The authenticated caller; `null` when the transport authenticates nobody. */
  readonly principal: Principal | null
  /** HTTP request headers; `null` on transports without any. */
  readonly headers: RequestHeaders | null
  /** The request's `_meta`, as sent. */
  readonly meta: JsonObject
  /** Tells clients of what this call changed, where the catalog cannot know it. */
  readonly changes: Changes
  readonly #cancellation: Cancellation
  readonly #progress: ProgressReporter | null
  readonly #stream: ResponseStream
  readonly #logLevel: LoggingLevel | null
  readonly #notify: (json: string) => void
  readonly #parentLog: Logger
  #log: Logger | null

  constructor(init: McpContextInit) {
    this.requestId = init.requestId
    this.method = init.method
    this.protocolVersion = init.protocolVersion
    this.clientInfo = init.clientInfo
    this.clientCapabilities = init.clientCapabilities
    this.principal = init.principal
    this.headers = init.headers
    this.meta = init.meta
    this.changes = init.changes
    this.#cancellation = init.cancellation
    this.#progress = init.progress
    this.#stream = init.stream
    this.#logLevel = init.logLevel
    this.#notify = init.notify
    this.#parentLog = init.log
    this.#log = null
  }

  /** Aborts when the client cancels or (from 2026-07-28 on) disconnects, and when the call times out. */
  get signal(): AbortSignal {
    return this.#cancellation.signal
  }

  /**
   * Sends a log message to the client, if it wants messages of this severity. Unlike {@link log}, which the client never
   * sees: put nothing in here that is not for its eyes.
   *
   * @param data Any JSON value.
   * @param logger What the message is from, for the client to filter by.
   */
  sendLogMessage(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.#logLevel === null || !isAtLeast(level, this.#logLevel)) return
    this.#notify(notification('notifications/message', { level, logger, data }))
  }

  /** Sends a notification of the application's own that belongs to this request. Clients ignore methods they do not know. */
  sendNotification(method: string, params: JsonObject = {}): void {
    this.#notify(notification(method, params))
  }

  /** The server's logger, with this request's id, method, revision and client on each line. */
  get log(): Logger {
    this.#log ??= this.#parentLog.child({
      requestId: this.requestId,
      method: this.method,
      protocolVersion: this.protocolVersion,
      client: this.clientInfo?.name,
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
    this.#progress?.report(typeof update === 'number' ? { progress: update, total, message } : update)
  }

  /**
   * Ends the HTTP response of this call now, so that no connection is held open while it runs. The client comes back for
   * the rest, which is kept for it. For long calls behind proxies that cut long responses.
   *
   * Only a client with a session in revision 2025-11-25 can come back; for every other one this does nothing.
   */
  closeStream(): void {
    this.#stream.closeStream()
  }
}
