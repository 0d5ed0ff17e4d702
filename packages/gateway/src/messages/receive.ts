import { type Extension, type JsonObject, LimitError } from '@toolwright/core'
import { ForwardedExchange, type ReceivingServer } from '@toolwright/core/extension'
import { tryLog } from '@toolwright/core/host'
import { isObject } from '@toolwright/core/options'
import { type Answer, type Exchange } from '@toolwright/core/transport'
import { DirectCall, type DirectMessage } from './direct-call.js'
import { invalidParamsData, unknownToolData } from './error-data.js'
import { isPaged, receivePaged } from './paged-list.js'
import { isError, type RpcError, readResponse, withError, withResult } from './response.js'
import { SilentCall } from './silent-call.js'

type Next = (exchange: Exchange) => void

interface Message {
  readonly id?: unknown
  readonly method: string
  readonly params: JsonObject
}

/** Member of `_meta` with the revision of a modern request. This extension ignores modern requests. */
const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** Pattern of tool names. Methods of the protocol contain a slash, so they do not match, except for `ownMethods`. */
const toolName = /^[\w.-]{1,128}$/
const ownMethods: readonly string[] = ['initialize', 'ping']

/**
 * Creates the extension that serves the messages of clients of MCP Gateway. The extension adds nothing to the
 * capabilities.
 *
 * @param others The extensions of the application. The methods of these extensions are not tools.
 * @param version Revision that the server reports; default: the revision that the client requests.
 */
export function createMessages(others: readonly Extension[], version: string | undefined): Extension {
  const otherMethods = new Set(others.flatMap(({ methods = {} }) => Object.keys(methods)))
  const isDirect = (method: string): boolean =>
    toolName.test(method) && !ownMethods.includes(method) && !otherMethods.has(method)
  return {
    id: 'toolwright/gateway',
    settings: () => null,
    startsCall: (message) => {
      const read = readLegacy(message)
      return read !== null && read.id === undefined && isDirect(read.method)
    },
    // Accepts batches except over Streamable HTTP, whose specification forbids them. Only Streamable HTTP has headers.
    acceptsBatch: ({ headers }) => headers === null,
    receive: (exchange, next, server) => {
      const message = readLegacy(exchange.message)
      if (message === null) next(exchange)
      else if (isDirect(message.method)) receiveDirect(exchange, next, server)
      else if (message.id === undefined) next(exchange)
      else receiveRequest(message, exchange, next, server, version)
    },
  }
}

/** Returns a request or notification; `null` for everything else, and for requests of newer revisions. */
function readLegacy(value: unknown): Message | null {
  if (!isObject(value) || Array.isArray(value)) return null
  const { id, method, params } = value as Record<string, unknown>
  if (typeof method !== 'string') return null
  const given = isObject(params) ? (params as JsonObject) : {}
  const meta = given['_meta']
  return isObject(meta) && versionKey in meta ? null : { id, method, params: given }
}

function receiveDirect(exchange: Exchange, next: Next, server: ReceivingServer): void {
  const message = exchange.message as DirectMessage
  if ('id' in message) {
    next(new DirectCall(exchange, message, server.catalog))
    return
  }
  try {
    next(new SilentCall(exchange, message, server))
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    logDropped(exchange, server, message.method, error.message)
    exchange.respond({ status: 202, body: null })
  }
}

/** Milliseconds between two log lines about dropped notifications of one connection. */
const logEveryMs = 1000

interface Dropped {
  loggedAt: number
  /** Number of dropped notifications since the last line. */
  count: number
}

const droppedBy = new WeakMap<object, Dropped>()

/** Logs at most one line a second for each connection. Over HTTP, all notifications of a server share the limit. */
function logDropped({ peer, sender }: Exchange, server: ReceivingServer, method: string, reason: string): void {
  const key = peer ?? server
  const dropped = droppedBy.get(key) ?? { loggedAt: -Infinity, count: 0 }
  droppedBy.set(key, dropped)
  dropped.count++
  if (performance.now() - dropped.loggedAt < logEveryMs) return
  const fields = { tool: method.slice(0, 128), reason, dropped: dropped.count }
  tryLog(() => sender.log.warn(fields, 'notifications were dropped'))
  dropped.loggedAt = performance.now()
  dropped.count = 0
}

function receiveRequest(
  message: Message,
  exchange: Exchange,
  next: Next,
  server: ReceivingServer,
  version: string | undefined,
): void {
  const { method, params, id } = message
  if (method === 'initialize') next(withVersion(exchange, message, version))
  else if (isPaged(method, params)) receivePaged(exchange, next, { id, method, params })
  else next(new ChangedAnswer(exchange, message, server))
}

/**
 * Fills in the version, which clients of MCP Gateway may omit. An unknown version is replaced by the newest version.
 */
function withVersion(exchange: Exchange, { params }: Message, version: string | undefined): Exchange {
  const { protocolVersion = 'newest' } = params
  const message = {
    ...(exchange.message as object),
    params: { ...params, protocolVersion: version ?? protocolVersion },
  }
  return new ForwardedExchange(exchange, { message })
}

class ChangedAnswer extends ForwardedExchange {
  constructor(
    original: Exchange,
    private readonly request: Message,
    private readonly server: ReceivingServer,
  ) {
    super(original)
  }

  protected override sendAnswer(answer: Answer): void {
    // Every response in a session has the session id, not only the response to `initialize`.
    const { peer, headers } = this
    const sessionId = headers?.['mcp-session-id']
    const named = peer === null || sessionId === undefined ? answer : { ...answer, sessionId: String(sessionId) }
    super.sendAnswer(isError(named) ? this.#withData(named) : this.#withSubscription(named))
  }

  #withData(answer: Answer): Answer {
    const response = readResponse(answer)
    if (response === null) return answer
    const error = JSON.parse(response.json) as RpcError
    return withError(answer, response, describeError(error, answer, this.request, this.server))
  }

  #withSubscription(answer: Answer): Answer {
    const { method, params } = this.request
    const member = subscriptionMembers[method]
    const response = member === undefined ? null : readResponse(answer)
    if (member === undefined || response === null) return answer
    return withResult(answer, response, { [member]: true, uri: params['uri'] })
  }
}

const subscriptionMembers: Readonly<Record<string, string>> = {
  'resources/subscribe': 'subscribed',
  'resources/unsubscribe': 'unsubscribed',
}

function describeError(
  error: RpcError,
  { unknownFeature }: Answer,
  { method, params }: Message,
  { catalog }: ReceivingServer,
): RpcError {
  if (method.startsWith('tools/list/') && error.data?.['supportedFormats'] !== undefined) {
    return { ...error, message: 'Unknown format' }
  }
  if (method !== 'tools/call') return error
  if (unknownFeature !== undefined) return { ...error, data: unknownToolData(unknownFeature) }
  const detail = error.data?.['detail']
  if (error.message !== 'Invalid params' || typeof detail !== 'string') return error
  return { ...error, data: invalidParamsData(detail, String(params['name']), catalog) }
}
