// Code that needs Node. Bundlers replace this file with browser.ts. Modules are loaded on demand, because a client over
// HTTP does not need them.
import type { Transport } from '@modelcontextprotocol/client'
import type { Caller, McpServer } from '@toolwright/core'
import type { Socket } from '@toolwright/streams/client'
import type { ClientOptions } from 'ws'
import { ConnectionError, CredentialsError, reasonOf } from '../errors.js'
import { type CommandTarget, shownUrl } from '../target.js'

export async function createCommandTransport(
  { command, args = [], env, cwd, stderr }: CommandTarget,
  maxResponseBytes: number,
): Promise<Transport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  return new StdioClientTransport({
    command,
    args: [...args],
    maxBufferSize: maxResponseBytes,
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(stderr === undefined ? {} : { stderr }),
  })
}

export async function createInMemoryTransport(server: McpServer, principal: Caller | null): Promise<Transport> {
  const [{ isServer }, { InMemoryClientTransport }] = await Promise.all([
    import('@toolwright/core/host'),
    import('./in-memory-transport.js'),
  ])
  if (!isServer(server)) {
    throw new TypeError(
      'There is no server to connect to. Give a URL, { command }, or a server made with createServer.',
    )
  }
  return new InMemoryClientTransport(server, principal)
}

export interface OpenLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Milliseconds until a socket is destroyed whose server does not answer the close frame. */
const closeTimeout = 2000

/** Opens a WebSocket. @throws ConnectionError or CredentialsError if the server rejects the WebSocket. */
export async function openSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { maxBytes, signal }: OpenLimits,
): Promise<Socket> {
  const { WebSocket } = await import('ws')
  const connect = (protocols: string[]): Promise<Socket> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const options: ClientOptions & { readonly closeTimeout: number } = {
        headers: { ...headers },
        // Compression would cost more time than it saves: messages are small, and most content of streams is compressed already.
        perMessageDeflate: false,
        // 0 means no limit.
        maxPayload: Number.isFinite(maxBytes) ? maxBytes : 0,
        closeTimeout,
      }
      const socket = new WebSocket(url, protocols, options)
      const abort = (): void => {
        reject(signal.reason as Error)
        socket.terminate()
      }
      signal.addEventListener('abort', abort, { once: true })
      socket.once('open', () => {
        signal.removeEventListener('abort', abort)
        resolve(socket)
      })
      socket.on('error', (error) =>
        reject(new ConnectionError(`Cannot connect to ${shownUrl(url)}: ${reasonOf(error)}`, null, { cause: error })),
      )
      socket.once('unexpected-response', (request, { statusCode = 0 }) => {
        request.destroy()
        const message = `The server rejected the WebSocket at ${shownUrl(url)} with status ${statusCode}.`
        reject(statusCode === 401 ? new CredentialsError(message) : new ConnectionError(message, statusCode))
      })
    })
  return connect(['mcp']).catch((error: Error) => {
    // Servers that do not know the subprotocol, such as MCP Gateway, accept a WebSocket without one.
    if ((error.cause as Error | undefined)?.message === 'Server sent no subprotocol') return connect([])
    throw error
  })
}
