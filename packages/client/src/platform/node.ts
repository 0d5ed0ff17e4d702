// Code that needs Node. Bundlers replace this file with browser.ts. Modules are loaded on demand, because a client over
// HTTP does not need them.
import type { Transport } from '@modelcontextprotocol/client'
import type { Caller, McpServer } from '@toolwright/core'
import type { Socket } from '@toolwright/streams/client'
import { ConnectionError, CredentialsError, reasonOf } from '../errors.js'
import type { CommandTarget } from '../target.js'

export async function createCommandTransport({
  command,
  args = [],
  env,
  cwd,
  stderr,
}: CommandTarget): Promise<Transport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  return new StdioClientTransport({
    command,
    args: [...args],
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(stderr === undefined ? {} : { stderr }),
  })
}

/** @throws TypeError if the target is not a server. */
export async function createInMemoryTransport(server: McpServer, principal: Caller | null): Promise<Transport> {
  const [{ isServer }, { InMemoryClientTransport }] = await Promise.all([
    import('@toolwright/core/transport'),
    import('./in-memory-transport.js'),
  ])
  if (!isServer(server)) {
    throw new TypeError(
      'There is no server to connect to. Give a URL, { command }, or a server made with createServer.',
    )
  }
  return new InMemoryClientTransport(server, principal)
}

/** Opens a WebSocket. @throws ConnectionError or CredentialsError if the server rejects the WebSocket. */
export async function openSocket(url: URL, headers: Readonly<Record<string, string>>): Promise<Socket> {
  const { WebSocket } = await import('ws')
  return new Promise((resolve, reject) => {
    // Compression would cost more time than it saves: messages are small, and most content of streams is compressed already.
    const socket = new WebSocket(url, 'mcp', { headers: { ...headers }, perMessageDeflate: false })
    socket.once('open', () => resolve(socket))
    socket.on('error', (error) =>
      reject(new ConnectionError(`Cannot connect to ${url.href}: ${reasonOf(error)}`, null, { cause: error })),
    )
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy()
      const message = `The server rejected the WebSocket at ${url.href} with status ${statusCode}.`
      reject(statusCode === 401 ? new CredentialsError(message) : new ConnectionError(message, statusCode))
    })
  })
}
