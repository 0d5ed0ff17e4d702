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
export const lostResponse = { code: -32000, message: 'Connection lost', data: { lost } } as const

export interface Failed {
  /** Name of the request in messages: `The call of 'add'`. */
  readonly what: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export function toClientError(error: unknown, { what, timeoutMs, signal }: Failed): unknown {
  if (signal?.aborted === true) return signal.reason
  if (error instanceof ClientError) return error
  const options = { cause: error }
  if (ProtocolError.isInstance(error)) return toProtocolError(error, what)
  if (UnauthorizedError.isInstance(error)) return toCredentialsError(what, options)
  if (InsufficientScopeError.isInstance(error)) return toScopeError(error.requiredScope ?? null, what, options)
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return new RequestTimeoutError(what, timeoutMs, options)
    if (localCodes.has(error.code))
      return new ClientError(`${what} failed: ${error.message}`, error.code, error.data, options)
    const status = SdkHttpError.isInstance(error) ? error.status : null
    if (status === 401) return toCredentialsError(what, options)
    const answer = SdkHttpError.isInstance(error) ? readAnswer(error.data.text) : null
    if (answer !== null) return toServerError(answer, what, options)
    return new ConnectionError(`${what} failed: ${emptyReason(error) ?? reasonOf(error)}`, status, options)
  }
  if (isNetworkError(error)) return new ConnectionError(`${what} failed: ${reasonOf(error)}`, null, options)
  if (isError(error) && unreadable.test(error.name))
    return new ClientError(`${what} failed: the response of the server is not JSON-RPC.`, 'bad-response', null, options)
  return new ClientError(`${what} failed: ${reasonOf(error)}`, 'failed', undefined, options)
}

function emptyReason(error: SdkError): string | null {
  if (!SdkHttpError.isInstance(error) || error.data.text !== '') return null
  const { status } = error
  const isOther = status === 404 || status === 405
  const hint = ' Is it the endpoint? For the deprecated HTTP+SSE transport, connect to `new SSEClientTransport(url)`.'
  return `the server answered with the HTTP status ${status}.${isOther ? hint : ''}`
}

const unreadable = /^(SyntaxError|\$?ZodError)$/

function toProtocolError(error: ProtocolError, what: string): ClientError {
  const options = { cause: error }
  const data = error.data as Partial<typeof lostResponse.data & typeof oversized.data> | undefined
  if (data?.lost === lost) {
    const reason = 'the connection was lost before the response. The server may have processed the request.'
    return new ConnectionError(`${what} failed: ${reason}`, null, options)
  }
  if (data?.oversized === oversized.data.oversized) return tooLarge(data.limit as number, options)
  if (findings.test(error.message))
    return new ClientError(`${what} failed: ${error.message}`, 'bad-result', data, options)
  return toServerError(error, what, options)
}

type Answered = Pick<ServerError, 'code' | 'message' | 'data'>

function toServerError({ code, message, data }: Answered, what: string, options: ErrorOptions): ClientError {
  const missing = missingScope.exec(message)?.[1]
  if (missing !== undefined) return toScopeError(missing.replaceAll(' and ', ' '), what, options)
  return new ServerError(message, code, data, options)
}

/** Message of a Toolwright server. Only HTTP has a header for missing scopes, so other transports have only the message. */
const missingScope = /^Forbidden: requires the scope (.+)$/

/** Messages of errors that the official client throws itself, after it has checked a result. */
const findings =
  /^(Tool .* has an (invalid outputSchema:|output schema but did not return)|Structured content does not match the tool's output schema:|Failed to validate structured content:)/

function toCredentialsError(what: string, options: ErrorOptions): CredentialsError {
  const message = `${what} failed: the server requires other credentials. Pass \`credentials\`.`
  return new CredentialsError(message, options)
}

function toScopeError(scope: string | null, what: string, options: ErrorOptions): CredentialsError {
  const required = scope === null ? 'more scopes' : `the scope '${scope}'`
  const message = `${what} failed: the server requires credentials with ${required}.`
  return new CredentialsError(message, options, scope)
}

function readAnswer(body: unknown): Answered | null {
  try {
    const { error } = JSON.parse(String(body)) as { readonly error: { code: unknown; message: unknown; data: unknown } }
    const { code, message, data } = error
    return typeof code === 'number' && typeof message === 'string' ? { code, message, data } : null
  } catch {
    return null
  }
}

export function tooLarge(maxResponseBytes: number, options: ErrorOptions = {}): ClientError {
  const message = `A response of the server has more than ${maxResponseBytes} bytes. Raise \`maxResponseBytes\` of connect.`
  return new ClientError(message, 'too-large', undefined, options)
}

/** Marks the event that replaces a response of an event stream that is too large. No server can guess the mark. */
export const oversized = {
  code: -32000,
  message: 'Response too large',
  data: { oversized: Math.random().toString(36), limit: 0 },
}

/** Reads an error that makes a transport end the connection: the message is too large. `null` for other errors. */
export function toLimitError(error: Error, maxResponseBytes: number): ClientError | null {
  const { code } = error as { readonly code?: unknown }
  const isLimit = code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || error.message.startsWith('ReadBuffer exceeded')
  return isLimit ? tooLarge(maxResponseBytes, { cause: error }) : null
}

export function isClosure(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed
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
  return isOfNode || (error.name === 'TypeError' && (error.cause !== undefined || failedFetch.test(error.message)))
}

/** Messages of a failed `fetch`: of Node and Chromium, of Firefox, and of WebKit. */
const failedFetch = /^(fetch failed|Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed)$/

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
