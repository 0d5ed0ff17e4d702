import { PassThrough } from 'node:stream'
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { InMemoryClientTransport, StreamClientTransport } from '@toolwright/client/transports'
import type { McpServer, Principal } from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { serveStdio } from '@toolwright/server/stdio'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import type { LaneName } from './lanes.js'

interface Link {
  readonly target: Transport | string
  /** Cancels calls in flight, and closes both ends. The server itself stays open. */
  close(): Promise<void>
}

export const openLink: Readonly<Record<LaneName, (server: McpServer, principal: Principal | null) => Promise<Link>>> = {
  'in-memory': openInMemory,
  stdio: openStdio,
  http: openHttp,
  websocket: openWebSocket,
}

async function openInMemory(server: McpServer, principal: Principal | null): Promise<Link> {
  const transport = new InMemoryClientTransport(server, principal)
  return { target: transport, close: () => transport.close() }
}

async function openStdio(server: McpServer, principal: Principal | null): Promise<Link> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  // A test that closes its connection does not wait for calls.
  const serving = serveStdio(server, {
    input: toServer,
    output: toClient,
    drainMs: 0,
    principal,
  })
  const transport = new StreamClientTransport(toClient, toServer)
  return {
    target: transport,
    close: async () => {
      await transport.close()
      await serving
    },
  }
}

async function openHttp(server: McpServer, principal: Principal | null): Promise<Link> {
  const { address, app } = await serve(server, principal, { webSocket: false })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', address))
  return {
    target: transport,
    close: async () => {
      // Cancels the calls of a legacy client, which would continue after a disconnect. The session may have ended
      // already.
      await transport.terminateSession().catch(() => undefined)
      await transport.close()
      await app.close()
    },
  }
}

async function openWebSocket(server: McpServer, principal: Principal | null): Promise<Link> {
  const { address, app } = await serve(server, principal, { webSocket: true })
  return { target: `${address.replace('http:', 'ws:')}/ws`, close: () => app.close() }
}

async function serve(server: McpServer, principal: Principal | null, { webSocket }: { readonly webSocket: boolean }) {
  const app = Fastify({
    // Logs the server's lines about calls, but no lines of Fastify, so that all lanes log the same lines.
    childLoggerFactory: (_off, bindings) => server.log.child(bindings) as FastifyBaseLogger,
    // Closes connections by force: the client's pool may leave a connection open that never sent a request, and Node
    // does not treat it as idle.
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true }),
  })
  const authentication = { authenticate: () => principal }
  // A test that closes its WebSocket does not wait for calls.
  const drain = webSocket ? { drainTimeoutMs: 0 } : {}
  await app.register(mcp, { server, authentication, allowAnonymous: true, webSocket, ...drain })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, address }
}
