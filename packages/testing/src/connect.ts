import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { type Caller, createServer, type McpServer, type Principal, type ServerOptions } from '@toolwright/core'
import { checkNames, Diagnostics, type NamesOf } from '@toolwright/core/internal'
import { completePrincipal, isServer, supportedVersions } from '@toolwright/core/transport'
import { pino } from 'pino'
import { type EraName, eraNames, type Lane, laneNames } from './lanes.js'
import { openLink } from './links.js'

/** Who the client is, and how it reaches the server. */
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

const optionNames: NamesOf<ConnectOptions> = {
  lane: true,
  era: true,
  principal: true,
  client: true,
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
 * @throws BootError that lists every mistake found in what is served, or in the options of the connection.
 */
export async function connect(
  serverOrOptions: ServerOptions | McpServer,
  options: ConnectOptions = {},
): Promise<TestConnection> {
  checkOptions(options)
  const principal = completePrincipal(options.principal ?? null)
  const isOurs = !isServer(serverOrOptions)
  const server = isOurs
    ? await createServer({ logger: pino({ level: 'silent' }), ...serverOrOptions })
    : serverOrOptions
  const closeServer = async (): Promise<void> => {
    if (isOurs) await server.close()
  }
  try {
    const { client, disconnect } = await connectClient(server, principal, options)
    const close = (): Promise<void> => disconnect().then(closeServer)
    return { client, server, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await closeServer()
    throw error
  }
}

/** A misspelt principal would be nobody, and a test of who may do what would hold for another reason. */
function checkOptions(options: ConnectOptions): void {
  const diagnostics = new Diagnostics()
  checkNames(options, Object.keys(optionNames), diagnostics)
  for (const [option, known] of [['lane', laneNames] as const, ['era', eraNames] as const]) {
    const value = options[option]
    if (value === undefined || (known as readonly string[]).includes(value)) continue
    const all = known.map((name) => `'${name}'`).join(', ')
    diagnostics.addBadOption(option, value, `Give one of ${all}.`)
  }
  diagnostics.throwIfAny('The client cannot connect')
}

async function connectClient(server: McpServer, principal: Principal | null, options: ConnectOptions) {
  const { lane = 'in-memory', era = 'modern' } = options
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { versionNegotiation: negotiation[era], ...options.client },
  )
  const link = await openLink[lane](server, principal)
  const disconnect = async (): Promise<void> => {
    await link.close()
    await client.close()
  }
  try {
    await client.connect(link.transport)
  } catch (error) {
    await disconnect()
    throw error
  }
  return { client, disconnect }
}
