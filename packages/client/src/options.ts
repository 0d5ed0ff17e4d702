import type {
  AuthProvider,
  ClientOptions,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  FetchLike,
  Implementation,
  OAuthClientProvider,
  Root,
} from '@modelcontextprotocol/client'
import type { Caller } from '@toolwright/core'
import type { Credentials } from './credentials.js'

export const defaultMaxResponseBytes = 32 * 1024 * 1024

/** Timeout and abort signal of a request. */
export interface RequestOptions {
  /**
   * Milliseconds until the request is cancelled; `Infinity` for no limit. Progress of a call restarts the timeout.
   * Default: the timeout of `connect`.
   */
  readonly timeoutMs?: number
  /** Cancels the request, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Options for reconnecting after a lost connection. The delay doubles with each attempt. */
export interface ReconnectOptions {
  /** Number of attempts before the client gives up. Default: 5. */
  readonly attempts?: number
  /** Milliseconds before the second attempt. Default: 250. */
  readonly delayMs?: number
  /** Upper limit of the delay in milliseconds. Default: 10 000. */
  readonly maxDelayMs?: number
}

export interface HandlerContext {
  /** Aborts when the server cancels the request, or when the caller cancels the call. */
  readonly signal: AbortSignal
}

/** Options of {@link connect}. */
export interface ConnectOptions extends RequestOptions {
  /** Name and version that the client sends to the server. Default: name and version of this package. */
  readonly clientInfo?: Implementation
  /**
   * Revisions to use. `auto` uses the newest revision that client and server support; `modern` and `legacy` allow only
   * revisions of one era. Default: `auto`.
   */
  readonly era?: 'auto' | 'modern' | 'legacy'
  /** Timeout of requests without `timeoutMs`, in milliseconds; `Infinity` for no limit. Default: 60 000. */
  readonly timeoutMs?: number
  /**
   * Maximum size of a message of the server in bytes; `Infinity` for no limit. Over HTTP, each event of an event stream is
   * a message. Browsers do not limit the messages of a WebSocket. Default: 32 MiB.
   */
  readonly maxResponseBytes?: number
  /** Bearer token or headers for each request. A WebSocket sends credentials only when it opens. */
  readonly credentials?: Credentials
  /** Fixed HTTP headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** OAuth provider of the official client, for users who log in. */
  readonly authProvider?: AuthProvider | OAuthClientProvider
  /** Replaces `fetch`. */
  readonly fetch?: FetchLike
  /** Path of the server's WebSocket, for streams, relative to the URL. Default: `ws`. */
  readonly webSocketPath?: string
  /** How the client reconnects after a lost connection; `false`: not at all. Default: five attempts. */
  readonly reconnect?: ReconnectOptions | false
  /** Handles elicitation: returns the answer of the user to a request of the server. */
  readonly onElicit?: (params: ElicitRequest['params'], context: HandlerContext) => ElicitResult | Promise<ElicitResult>
  /** Handles sampling: returns the answer of a model to a request of the server. */
  readonly onSample?: (
    params: CreateMessageRequest['params'],
    context: HandlerContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>
  /** Whether the server is allowed to run a call as a task. The call waits for the result of the task. Default: true. */
  readonly tasks?: boolean
  /** Folders that the server is allowed to use. */
  readonly roots?: () => readonly Root[] | Promise<readonly Root[]>
  /**
   * Called with errors that belong to no request, such as a failed attempt to reconnect, and with errors of `onElicit`,
   * `onSample` and `roots`, whose texts the server does not get.
   */
  readonly onError?: (error: Error) => void
  /** Authenticated caller, if the server runs in this process. Default: anonymous. */
  readonly principal?: Caller | null
  /** More options of the official client. */
  readonly official?: ClientOptions
}
