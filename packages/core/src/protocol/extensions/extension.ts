import type { Catalog } from '../../catalog/catalog.js'
import type { ResourceDefinition, ResourceTemplateDefinition, ToolDefinition } from '../../catalog/definitions.js'
import type { McpContext } from '../../context/mcp-context.js'
import type { Principal } from '../../context/principal.js'
import type { ProtocolError } from '../../errors/protocol-error.js'
import type { InFlight } from '../../limits/in-flight.js'
import type { Metric } from '../../metrics/metric.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'
import type { DetachableCall } from '../detached-call.js'
import type { Exchange } from '../exchange.js'
import type { SessionServer, Sessions } from '../legacy/session.js'
import type { ExtendedServer, OpenSocketHandler } from './extended-socket.js'

/** Lists whose entries an extension can add to. */
export type ExtendedList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/**
 * Serves a method of an extension. Returns the members of the result. A `ProtocolError` is sent to the client. Any other error is
 * logged, and the client gets an internal error.
 */
export type ExtensionMethod = (params: JsonObject, context: McpContext) => MaybePromise<JsonObject>

export interface ExtensionMethodOptions {
  readonly run: ExtensionMethod
  /** Callers of the method. `everyone`: `run` checks access itself. Default: the server's default authorization rule. */
  readonly access?: 'everyone'
  /**
   * Adds the cache hints of lists to the result, from 2026-07-28 on. Returns whether every caller gets the same result; shared
   * caches cannot store other results. Such a result has no limit of size. If `run` returns the same object again, the object is
   * not serialized again. Default: no hints.
   */
  readonly isSameForAll?: () => boolean
}

/** Tests whether a feature uses an extension, by list. */
export interface ExtensionUsers {
  readonly tools?: (tool: ToolDefinition) => boolean
  readonly resources?: (resource: ResourceDefinition) => boolean
  readonly resourceTemplates?: (template: ResourceTemplateDefinition) => boolean
}

/** Parts of the server that a {@link MessageReceiver} can use. */
export interface ReceivingServer {
  readonly catalog: Catalog
  /** Counts the requests that a receiver creates from notifications. The server counts all other requests. */
  readonly inFlight: InFlight
}

/**
 * Receives a message before the server does. Either answers the exchange, or calls `next`: with the same exchange, or with a
 * `ForwardedExchange` that changes the message or the answer. The server checks access, limits and arguments after the call of
 * `next`. If the receiver throws or rejects, the error is logged, and the client gets an internal error.
 */
export type MessageReceiver = (
  exchange: Exchange,
  next: (exchange: Exchange) => void,
  server: ReceivingServer,
) => MaybePromise<void>

/** An addition to the protocol that clients can negotiate. Spec: extensions, "Negotiation". */
export interface Extension {
  /** Identifier with a vendor prefix: `com.example/quotas`. */
  readonly id: string
  /** Only revisions of this era have the extension: `modern` is 2026-07-28 and newer. Default: both eras. */
  readonly era?: 'modern' | 'legacy'
  /**
   * Features that use the extension. The extension is declared, and its methods exist, only for callers who can see such a
   * feature. Default: for all callers.
   */
  readonly usedBy?: ExtensionUsers
  /**
   * Returns the settings that the server declares under the identifier; `null`: the extension is not declared to this caller.
   * Legacy clients get the settings under `experimental`. Default: `{}` for every caller.
   */
  readonly settings?: (principal: Principal | null) => JsonObject | null
  /**
   * Adds features to the catalog at boot, after the server has read the feature classes. The server awaits the result. An error
   * prevents the server from starting. Default: adds nothing.
   */
  readonly prepare?: (server: Pick<ExtendedServer, 'catalog' | 'limits' | 'log'>) => MaybePromise<void>
  /**
   * Methods by name, such as `quotas/get`. The methods exist in all revisions. The methods are subject to the server's default
   * authorization rule and to `limits.callTimeoutMs`. Default: none.
   */
  readonly methods?: Readonly<Record<string, ExtensionMethod | ExtensionMethodOptions>>
  /** Returns the error for a method that does not exist; `null`: the client gets the usual error. */
  readonly unknownMethod?: (name: string) => ProtocolError | null
  /**
   * Names of the notifications that {@link Changes.notify} sends to subscribed modern clients. A client subscribes with
   * `subscriptions/listen`: in `notifications`, it sets the identifier of the extension to `true`. Default: none.
   */
  readonly notifications?: readonly string[]
  /**
   * Returns members to add to the `_meta` of list entries. Called when a list is serialized, not for each request.
   * Default: none.
   */
  readonly listedMeta?: Readonly<Partial<Record<ExtendedList, (entry: JsonObject) => JsonObject | undefined>>>
  /**
   * Receives every message of every transport before the server does, including each message of a batch. The extensions receive a
   * message in the order of the option `extensions`. Default: the server receives all messages.
   */
  readonly receive?: MessageReceiver
  /**
   * Whether a notification starts a call, because `receive` turns it into a request. After such a notification, transports wait
   * as long as after a request before they serve the next message. Default: no notification starts a call.
   */
  readonly startsCall?: (message: unknown) => boolean
  /** Whether to accept a batch of a legacy revision that has no batches. Default: the server rejects such a batch. */
  readonly acceptsBatch?: (batch: Exchange) => boolean
  /**
   * Serves WebSocket frames other than JSON-RPC. Called one time for each endpoint with WebSockets. The server calls the returned
   * function for each WebSocket. Default: all text frames are JSON-RPC, and a binary frame closes the WebSocket.
   */
  readonly webSocket?: (server: ExtendedServer) => OpenSocketHandler
  /**
   * Called when the server closes, after the last call and before the option `onClose`. The server awaits the result. Default:
   * does nothing.
   */
  readonly close?: () => MaybePromise<void>
}

export interface ExtensionSubscription {
  readonly filter: JsonObject
  readonly methods: readonly string[]
  /**
   * Starts to send notifications that do not come from {@link Changes.notify}. @returns A function that stops the
   * notifications.
   *
   * @param send Sends a notification. Its arguments are the method, and the members of `params` as JSON without the braces.
   */
  readonly watch?: (send: (method: string, members: string) => void) => () => void
}

/** Methods by name. Each returns the members of its result as JSON, without the braces. */
export type EncodedMethods = Readonly<Record<string, (params: JsonObject, context: McpContext) => Promise<string>>>

/** The response to a call that can become a task: the members of the task as JSON, or the result of a handler that ended first. */
export type StartedTask = { readonly task: string } | { readonly result: string }

/** A member of `notifications` in `subscriptions/listen`. */
export interface SubscribedMember {
  readonly name: string
  /**
   * Reads the member. The client has declared the extension.
   *
   * @returns `null`: there is nothing to subscribe to.
   * @throws ProtocolError
   */
  read(asked: unknown, context: McpContext): Promise<ExtensionSubscription | null>
}

/** The extension of a {@link ServerPart}. Extensions of applications can only use the members of {@link Extension}. */
export interface PartExtension extends Extension {
  /** Called when the checks of boot have passed, before `onReady`. */
  readonly open?: () => void
  /** Methods for clients that declare the extension. Their results have no limit of size. */
  readonly encodedMethods?: EncodedMethods
  /**
   * Starts a task for a call of a tool with `task`, if the client declares the extension. @returns `null`: the call runs as an
   * ordinary call.
   */
  readonly startTask?: (call: DetachableCall) => Promise<StartedTask | null>
  readonly subscribedMember?: SubscribedMember
  /** Creates the sessions of legacy clients over HTTP. Called when the checks of boot have passed. */
  readonly createSessions?: (server: SessionServer) => Sessions
  /** Metrics by their name in `server.metrics()`. */
  readonly metrics?: Readonly<Record<string, Metric>>
}
