import {
  type CallToolResult,
  type ContentBlock,
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'

/**
 * Base class of all errors of this client. An aborted request rejects with the reason of its signal, not with a
 * `ClientError`.
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'

  /**
   * @param code Code of the JSON-RPC error, or a word such as `timeout`.
   * @param data Additional data that the server sent.
   */
  constructor(
    message: string,
    readonly code: number | string,
    readonly data?: unknown,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}

/** The tool ran and reported a failure. The text of the result is the error's message. */
export class ToolCallError extends ClientError {
  override readonly name = 'ToolCallError'
  readonly content: readonly ContentBlock[]
  readonly structuredContent: unknown

  constructor(
    readonly tool: string,
    readonly result: CallToolResult,
  ) {
    super(
      textOf(result.content) || `The tool '${tool}' failed without a message.`,
      'tool-failed',
      result.structuredContent,
    )
    this.content = result.content
    this.structuredContent = result.structuredContent
  }
}

/** The server lists no tool of this name. */
export class UnknownToolError extends ClientError {
  override readonly name = 'UnknownToolError'

  /** @param suggestion The listed name that was probably meant. */
  constructor(
    message: string,
    readonly tool: string,
    readonly suggestion: string | null,
    readonly tools: readonly string[],
  ) {
    super(message, 'unknown-tool', suggestion === null ? undefined : { suggestion })
  }
}

/** The server answered with a JSON-RPC error. */
export class ServerError extends ClientError {
  override readonly name = 'ServerError'
  declare readonly code: number
}

/** The server could not be reached or started, or the connection was lost before the response. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError'

  /** @param status Status of the HTTP response; `null` without a response. */
  constructor(
    message: string,
    readonly status: number | null = null,
    options: ErrorOptions = {},
  ) {
    super(message, 'connection', undefined, options)
  }
}

/** The server requires credentials, or rejected the given credentials. */
export class CredentialsError extends ClientError {
  override readonly name = 'CredentialsError'

  /**
   * @param scope The required scopes, if the server accepts the credentials but a scope is missing; otherwise `null`.
   */
  constructor(
    message: string,
    options: ErrorOptions = {},
    readonly scope: string | null = null,
  ) {
    super(message, 'credentials', undefined, options)
  }
}

/** The server did not respond within `timeoutMs`. The client has cancelled the request. */
export class RequestTimeoutError extends ClientError {
  override readonly name = 'RequestTimeoutError'

  constructor(
    what: string,
    readonly timeoutMs: number,
    options: ErrorOptions = {},
  ) {
    super(`${what} did not end within ${timeoutMs} ms. Pass a longer timeoutMs.`, 'timeout', undefined, options)
  }
}

/** Marks {@link lostResponse}. The mark is a symbol, so that no server can send it. */
const lost = Symbol('lost')

/** Replaces the missing response of a request whose stream has ended and cannot be resumed. */
export const lostResponse = { code: -32000, message: 'Connection lost', data: { lost } }

/** The request that failed. */
export interface Failed {
  /** Name of the request in messages: `The call of 'add'`. */
  readonly what: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Converts an error of the official client to an error of this client. Returns errors of callbacks as they are. */
export function toClientError(error: unknown, { what, timeoutMs, signal }: Failed): unknown {
  if (signal?.aborted === true) return signal.reason
  if (error instanceof ClientError) return error
  if (ProtocolError.isInstance(error) && (error.data as typeof lostResponse.data | undefined)?.lost === lost) {
    const reason = 'the connection was lost before the response. The server may have processed the request.'
    return new ConnectionError(`${what} failed: ${reason}`, null, { cause: error })
  }
  if (ProtocolError.isInstance(error)) return new ServerError(error.message, error.code, error.data, { cause: error })
  const status = SdkHttpError.isInstance(error) ? error.status : null
  if (status === 401 || UnauthorizedError.isInstance(error)) {
    return new CredentialsError(`${what} failed: the server requires other credentials. Pass \`credentials\`.`, {
      cause: error,
    })
  }
  if (InsufficientScopeError.isInstance(error)) {
    const { requiredScope: scope = null } = error
    const required = scope === null ? 'more scopes' : `the scope '${scope}'`
    const message = `${what} failed: the server requires credentials with ${required}.`
    return new CredentialsError(message, { cause: error }, scope)
  }
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return new RequestTimeoutError(what, timeoutMs, { cause: error })
    if (localCodes.has(error.code))
      return new ClientError(`${what} failed: ${error.message}`, error.code, error.data, { cause: error })
    return new ConnectionError(`${what} failed: ${reasonOf(error)}`, status, { cause: error })
  }
  return isNetworkError(error)
    ? new ConnectionError(`${what} failed: ${reasonOf(error)}`, null, { cause: error })
    : error
}

/** Error codes of the official client that do not mean a lost connection. */
const localCodes: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.InputRequiredRoundsExceeded,
])

/** Whether the network caused an error. In this case, `fetch` throws a TypeError, and Node sets a code such as `ECONNRESET`. */
function isNetworkError(error: unknown): boolean {
  if (!isError(error)) return false
  if (error.message === 'Not connected') return true
  const { code } = error as { readonly code?: unknown }
  const isOfNode = typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(code)
  return (
    isOfNode || (error.name === 'TypeError' && (error.cause !== undefined || /fetch|load failed/i.test(error.message)))
  )
}

/** Returns the message of the innermost cause. */
export function reasonOf(error: unknown): string {
  let innermost = error
  while (isError(innermost) && isError(innermost.cause)) innermost = innermost.cause
  if (!isError(innermost)) return String(innermost)
  const { message, name, code } = innermost as Error & { readonly code?: unknown }
  // Replaces an empty message: the error for a host name with several addresses has none.
  return message || (typeof code === 'string' ? code : name)
}

/** Whether a value is an error. Does not use `instanceof`, because an error of `fetch` can come from another realm. */
function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}
