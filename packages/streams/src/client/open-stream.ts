import { openWebSocket } from '#web-socket'
import { StreamError } from '../wire/stream-error.js'
import type { ClientStream, OpenOptions } from './client-stream.js'
import { StreamConnection } from './stream-connection.js'

/** Options of {@link connectStreams}. */
export interface ConnectOptions {
  /** Returns a bearer token, or HTTP headers such as an API key; `null` for none. Called when the connection opens. */
  readonly credentials?: () => Credentials | Promise<Credentials>
  /** Fixed HTTP headers. A browser sends none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the attempt to connect. */
  readonly signal?: AbortSignal
}

type Credentials = string | Readonly<Record<string, string>> | null

/** Options of {@link openStream}: those of the stream, and of its connection. */
export interface OpenStreamOptions extends OpenOptions, ConnectOptions {
  /** Path of the WebSocket, relative to the URL of an MCP client. Default: `ws`. */
  readonly path?: string
}

/** A client of a server, such as `connect` of `@toolwright/client` returns it. */
export interface StreamingClient {
  /** URL of the server; `null` if it is not reached over HTTP or WebSocket. */
  readonly url: URL | null
  /** Returns HTTP headers with the current credentials. */
  headers(): Promise<Readonly<Record<string, string>>>
}

/**
 * Connects to the WebSocket of a server, such as `ws://127.0.0.1:3000/ws`, for any number of streams.
 *
 * @throws StreamError if the server rejects the connection, or cannot be reached.
 */
export async function connectStreams(url: string | URL, options: ConnectOptions = {}): Promise<StreamConnection> {
  const { headers = {}, credentials, signal } = options
  signal?.throwIfAborted()
  const given = (await credentials?.()) ?? {}
  const own = typeof given === 'string' ? { authorization: `Bearer ${given}` } : given
  const opening = openWebSocket(webSocketUrl(url), { ...headers, ...own })
  if (signal === undefined) return new StreamConnection(await opening)
  return new StreamConnection(await unlessAborted(opening, signal))
}

/**
 * Opens one stream with a tool: on a new connection, which closes when the stream has ended, or on a
 * {@link StreamConnection}. For a client of `@toolwright/client`, the connection has the credentials of the client.
 *
 * @example
 * const stream = await openStream('ws://127.0.0.1:3000/ws', 'upload', { folder: 'inbox' })
 * await source.pipeTo(stream.writable)
 * console.log(await stream.done)
 *
 * @param target URL of the WebSocket, a client of the same server, or a connection.
 * @param tool Name of the tool.
 * @param args Arguments of the tool.
 * @throws StreamError if the server rejects the connection, or cannot be reached.
 */
export async function openStream<In = Uint8Array, Out = In>(
  target: string | URL | StreamingClient | StreamConnection,
  tool: string,
  args: object = {},
  options: OpenStreamOptions = {},
): Promise<ClientStream<In, Out>> {
  if (target instanceof StreamConnection) return target.open<In, Out>(tool, args, options)
  const connection = await connectStreams(urlOf(target, options.path), withHeadersOf(target, options))
  const { credentials: _credentials, headers: _headers, path: _path, ...own } = options
  const stream = connection.open<In, Out>(tool, args, own)
  const close = (): void => void connection.close()
  stream.done.then(close, close)
  return stream
}

/** Returns the URL of the WebSocket: for a client over HTTP, the one beside its endpoint. */
function urlOf(target: string | URL | StreamingClient, path = 'ws'): string | URL {
  if (typeof target === 'string' || target instanceof URL) return target
  if (target.url === null) throw new StreamError('The client has no URL. Streams need the WebSocket of a server')
  if (/^wss?:$/.test(target.url.protocol)) return target.url
  const url = new URL(path, target.url)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}

function withHeadersOf(target: string | URL | StreamingClient, options: OpenStreamOptions): ConnectOptions {
  if (typeof target === 'string' || target instanceof URL || options.credentials !== undefined) return options
  return { ...options, credentials: () => target.headers() }
}

async function unlessAborted<Value extends { close(): void }>(
  opening: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  let stop = (): void => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([opening, aborted])
  } catch (error) {
    void opening.then((late) => late.close()).catch(() => undefined)
    throw error
  } finally {
    stop()
  }
}

function webSocketUrl(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : null
  if (url !== null && /^wss?:$/.test(url.protocol)) return url
  throw new StreamError(`'${String(target)}' is not the URL of a WebSocket. Give one such as ws://127.0.0.1:3000/ws`)
}
