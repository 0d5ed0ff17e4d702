import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { connect as connectTyped, type McpClient } from '@toolwright/client'
import type { Caller, McpServer, Principal } from '@toolwright/core'
import { completePrincipal, isServer } from '@toolwright/core/host'
import {
  Diagnostics,
  type OptionsOf,
  oneOf,
  type ReadOptions,
  readNamedOptions,
  unchecked,
} from '@toolwright/core/options'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { eraNames, laneNames } from './lanes.js'
import { openLink } from './links.js'

export const connectOptions = {
  /**
   * Transport between client and server. Default: `in-memory`.
   * @see docs/reference/testing.md#lanes
   */
  lane: oneOf(laneNames, { default: 'in-memory', fix: `Give one of ${listed(laneNames)}.` }),
  /**
   * The revisions that the client supports: 2026-07-28, or 2025-11-25 and older. Default: `modern`.
   * @see docs/reference/protocol-support.md
   */
  era: oneOf(eraNames, { default: 'modern', fix: `Give one of ${listed(eraNames)}.` }),
  /**
   * The caller, as if a host had authenticated the client. Only `subject` is required. Default: `null`, an anonymous
   * caller.
   * @see docs/reference/context.md#the-principal
   */
  principal: unchecked<Caller | null>('`Caller` or `null`'),
  /**
   * More options of the official client, such as `capabilities`. For an old client, use `supportedProtocolVersions:
   * ['2024-11-05']` with `era: 'legacy'`.
   * @see docs/how-to/test-a-server.md#answer-elicitations
   */
  client: unchecked<ClientOptions>('`ClientOptions` of the official client'),
}

/** Options of `connect`: the caller, the lane and the client. */
export interface ConnectOptions extends OptionsOf<typeof connectOptions> {}

function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

/** A client and the server that it is connected to. `await using` closes client and server. */
export interface TestConnection extends AsyncDisposable {
  /** The official MCP client. */
  readonly client: Client
  /** The tools of a class as methods, typed by the class: `await connection.tools<Calculator>().add({ a: 1, b: 2 })`. */
  readonly tools: McpClient['tools']
  /** The stream tools of a class as methods that open a stream. Streams need the lane `websocket`. */
  readonly streams: McpClient['streams']
  readonly server: McpServer
  /** Cancels calls in flight, and closes client and server. A server that was passed in stays open. */
  close(): Promise<void>
}

/**
 * Connects an official MCP client to a server in the same process: in memory and in the newest revision, unless another
 * {@link Lane} is given. If server options are passed, `connect` creates the server. The created server logs only if
 * the options contain a logger.
 *
 * @example
 * await using connection = await connect({ name: 'test', version: '1', controllers: [Calculator] })
 * const { structuredContent } = await connection.client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
 * @throws BootError that lists every mistake in the options of the server or of the connection.
 */
export async function connect(
  serverOrOptions: ServerOptions | McpServer,
  options: ConnectOptions = {},
): Promise<TestConnection> {
  const read = checkOptions(options)
  const principal = completePrincipal(read.principal ?? null)
  const isOurs = !isServer(serverOrOptions)
  const server = isOurs
    ? await createServer({ logger: pino({ level: 'silent' }), ...serverOrOptions })
    : serverOrOptions
  const closeServer = async (): Promise<void> => {
    if (isOurs) await server.close()
  }
  try {
    const { client, disconnect } = await connectClient(server, principal, read)
    const close = (): Promise<void> => disconnect().then(closeServer)
    const tools: McpClient['tools'] = (names) => client.tools(names)
    const streams: McpClient['streams'] = (names) => client.streams(names)
    return { client: client.official, tools, streams, server, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await closeServer()
    throw error
  }
}

/** Reports unknown options: with a misspelt `principal`, the caller would be anonymous, and a test could pass wrongly. */
function checkOptions(options: ConnectOptions): ReadOptions<typeof connectOptions> {
  const diagnostics = new Diagnostics()
  const read = readNamedOptions(connectOptions, options, { prefix: '' }, diagnostics)
  diagnostics.throwIfAny('The client cannot connect')
  return read
}

async function connectClient(
  server: McpServer,
  principal: Principal | null,
  { lane, era, client: official = {} }: ReadOptions<typeof connectOptions>,
) {
  const link = await openLink[lane](server, principal)
  try {
    const client = await connectTyped(link.target, {
      reconnect: false,
      clientInfo: { name: 'test-client', version: '1.0.0' },
      era,
      tasks: false,
      official,
    })
    const disconnect = async (): Promise<void> => {
      await link.close()
      await client.close()
    }
    return { client, disconnect }
  } catch (error) {
    await link.close()
    throw error
  }
}
