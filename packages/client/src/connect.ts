import {
  Client,
  type ClientCapabilities,
  type ClientOptions,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { latestVersion } from '@toolwright/core/wire'
import { createCommandTransport, createInMemoryTransport } from '#platform'
import { mendMessages } from './calls/mend-messages.js'
import { type AnswerRequest, tasksExtension } from './calls/tasks.js'
import { McpClient } from './client.js'
import { Connection } from './connection.js'
import { createHeaderSource, fetchWithHeaders, type HeaderSource, openSocketWithHeaders } from './credentials.js'
import { fenceHandler } from './fence-handler.js'
import { limitResponses } from './limit-responses.js'
import { type ConnectOptions, defaultMaxResponseBytes } from './options.js'
import { WebSocketTransport } from './platform/web-socket-transport.js'
import type { OpenSocket } from './streams/stream-pool.js'
import { isCommand, isTransport, isWebSocket, readUrl, shownUrl, type Target, webSocketUrl } from './target.js'
import { toTimeout } from './timing.js'
import type { AnyTools, ToolTypes } from './tools/tool-types.js'
import { version } from './version.js'

/**
 * Connects to a server, in the newest revision that both ends support.
 *
 * @typeParam Tools Interface with the names, arguments and results of the tools, for `client.call`. `toolwright types`
 * generates the interface.
 * @example
 * await using client = await connect('http://127.0.0.1:3000/mcp')
 * const { sum } = await client.tools<Calculator>().add({ a: 1, b: 2 })
 * @throws ConnectionError if the server cannot be reached or started, CredentialsError if it requires credentials, and
 * TypeError for an invalid target.
 */
export async function connect<Tools extends ToolTypes<Tools> = AnyTools>(
  target: Target,
  options: ConnectOptions = {},
): Promise<McpClient<Tools>> {
  const { credentials, headers: fixed, reconnect = {}, onError = () => undefined } = options
  const { timeoutMs = 60_000, maxResponseBytes = defaultMaxResponseBytes } = options
  toTimeout('timeoutMs', timeoutMs)
  toTimeout('maxResponseBytes', maxResponseBytes)
  const headers = createHeaderSource(fixed, credentials)
  const { url, label, createTransport, canReconnect, openSocket } = openTarget(target, options, headers)
  const { official, answer } = createOfficial(options)
  const connection = new Connection({
    official,
    label,
    createTransport,
    timeoutMs,
    maxResponseBytes,
    reconnect: canReconnect ? reconnect : false,
    onError,
    onOpen: mendMessages,
  })
  const client = new McpClient<Tools>({ connection, url, headers, answer, openSocket })
  await connection.open(options)
  return client
}

interface OpenedTarget {
  readonly url: URL | null
  readonly label: string
  readonly createTransport: () => Promise<Transport>
  readonly canReconnect: boolean
  readonly openSocket: OpenSocket | null
}

function openTarget(target: Target, options: ConnectOptions, headers: HeaderSource): OpenedTarget {
  const { timeoutMs = 60_000, maxResponseBytes: maxBytes = defaultMaxResponseBytes } = options
  if (typeof target === 'string' || target instanceof URL) {
    const url = readUrl(target)
    const openSocket: OpenSocket = (opening) =>
      openSocketWithHeaders(webSocketUrl(url, options.webSocketPath), headers, { timeoutMs, maxBytes, opening })
    const createTransport = async (): Promise<Transport> =>
      isWebSocket(url) ? new WebSocketTransport(openSocket) : createHttpTransport(url, options, headers)
    return { url, label: shownUrl(url), createTransport, canReconnect: true, openSocket }
  }
  if (isCommand(target)) {
    const label = [target.command, ...(target.args ?? [])].join(' ')
    return {
      url: null,
      label,
      createTransport: () => createCommandTransport(target, maxBytes),
      canReconnect: true,
      openSocket: null,
    }
  }
  if (isTransport(target)) {
    return {
      url: null,
      label: 'the server',
      createTransport: async () => target,
      canReconnect: false,
      openSocket: null,
    }
  }
  const { principal = null } = options
  const createTransport = async (): Promise<Transport> => createInMemoryTransport(target, principal)
  return { url: null, label: 'the server in this process', createTransport, canReconnect: true, openSocket: null }
}

function createHttpTransport(url: URL, options: ConnectOptions, headers: HeaderSource): Transport {
  const { fetch: sendAny = fetch, authProvider, reconnect = {}, credentials, headers: fixed } = options
  const { maxResponseBytes = defaultMaxResponseBytes } = options
  const send = limitResponses(sendAny, maxResponseBytes)
  const { attempts = 5, delayMs = 250, maxDelayMs = 10_000 } = reconnect === false ? { attempts: 0 } : reconnect
  return new StreamableHTTPClientTransport(url, {
    // Without credentials and headers, no headers are copied: copying them takes a tenth of the time of a call.
    fetch: credentials === undefined && fixed === undefined ? send : fetchWithHeaders(send, url, headers),
    ...(authProvider === undefined ? {} : { authProvider }),
    reconnectionOptions: {
      maxRetries: attempts,
      initialReconnectionDelay: delayMs,
      maxReconnectionDelay: maxDelayMs,
      reconnectionDelayGrowFactor: 2,
    },
  })
}

const modes = {
  auto: 'auto',
  modern: { pin: latestVersion },
  legacy: 'legacy',
} as const satisfies Record<string, NonNullable<ClientOptions['versionNegotiation']>['mode']>

/**
 * Creates the official client and a function that answers requests of tasks. The client and the function use the same
 * handlers, from the options.
 */
function createOfficial(options: ConnectOptions): { official: Client; answer: AnswerRequest } {
  const { clientInfo = { name: 'toolwright-client', version }, era = 'auto', official: more = {} } = options
  const { onElicit, onSample, roots } = fenceHandlers(options)
  const official = new Client(clientInfo, {
    versionNegotiation: { mode: modes[era] },
    ...more,
    capabilities: { ...capabilitiesOf(options), ...more.capabilities },
  })
  if (onElicit !== undefined) {
    official.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => onElicit(params, mcpReq))
  }
  if (onSample !== undefined) {
    official.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) => onSample(params, mcpReq))
  }
  if (roots !== undefined) {
    official.setRequestHandler('roots/list', async () => ({ roots: [...(await roots())] }))
  }
  const answer: AnswerRequest = async (method, params, context) => {
    if (method === 'elicitation/create' && onElicit !== undefined) return onElicit(params as never, context)
    if (method === 'sampling/createMessage' && onSample !== undefined) return onSample(params as never, context)
    if (method === 'roots/list' && roots !== undefined) return { roots: await roots() }
    throw new ProtocolError(
      ProtocolErrorCode.MethodNotFound,
      `The task asks for ${method}, and there is no handler for it.`,
    )
  }
  return { official, answer }
}

function fenceHandlers({ onElicit, onSample, roots, onError = () => undefined }: ConnectOptions) {
  return {
    onElicit: onElicit && fenceHandler('elicitation/create', onElicit, onError),
    onSample: onSample && fenceHandler('sampling/createMessage', onSample, onError),
    roots: roots && fenceHandler('roots/list', roots, onError),
  }
}

function capabilitiesOf({ onElicit, onSample, roots, tasks = true }: ConnectOptions): ClientCapabilities {
  return {
    ...(onElicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(onSample === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: {} }),
    ...(tasks ? { extensions: { [tasksExtension]: {} } } : {}),
  }
}
