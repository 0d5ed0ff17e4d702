import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { type Caller, createServer, type ServerOptions } from '@toolwright/core'
import { completePrincipal, McpServer, supportedVersions } from '@toolwright/core/internal'
import { pino } from 'pino'
import type { EraName, Lane } from './lanes.js'
import { openLink } from './links.js'

export interface ConnectOptions extends Partial<Lane> {
  /**
   * Who the client is, as a transport that authenticates would have found out: a `subject`, and what else matters.
   * Default: nobody.
   */
  readonly principal?: Caller | null | undefined
  /** More options of the official client, such as the `supportedProtocolVersions` of an older one. */
  readonly client?: ClientOptions
}

/** A client and the server that it is connected to. `await using` closes both. */
export interface TestConnection extends AsyncDisposable {
  /** The official MCP client. */
  readonly client: Client
  readonly server: McpServer
  /** Cancels what is in flight, and ends client and server. A server that was given stays open. */
  close(): Promise<void>
}

/** Pinned: a client that tries the modern era first would fall back in silence. */
const negotiation: Readonly<Record<EraName, NonNullable<ClientOptions['versionNegotiation']>>> = {
  modern: { mode: { pin: supportedVersions[0] as string } },
  legacy: { mode: 'legacy' },
}

/**
 * Connects an official MCP client to a server in the same process: in memory and in the newest revision, unless a
 * {@link Lane} says otherwise. The server is made here when only its options are given, and is then silent unless they
 * hold a logger.
 *
 * @example
 * await using connection = await connect({ name: 'test', version: '1', controllers: [Calculator] })
 * const { structuredContent } = await connection.client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
 * @throws BootError that lists every mistake found.
 */
export async function connect(
  served: ServerOptions | McpServer,
  options: ConnectOptions = {},
): Promise<TestConnection> {
  const { lane = 'in-memory', era = 'modern' } = options
  const principal = completePrincipal(options.principal ?? null)
  const isOurs = !(served instanceof McpServer)
  const server = isOurs ? await createServer({ logger: pino({ level: 'silent' }), ...served }) : served
  const link = await openLink[lane](server, principal)
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { versionNegotiation: negotiation[era], ...options.client },
  )
  const close = async (): Promise<void> => {
    await link.close()
    await client.close()
    if (isOurs) await server.close()
  }
  try {
    await client.connect(link.transport)
  } catch (error) {
    await close()
    throw error
  }
  return { client, server, close, [Symbol.asyncDispose]: close }
}
