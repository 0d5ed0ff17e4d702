// A raw client: it sends exactly the messages of a test, and stores the responses.
import { type AddedTool, connectInMemory, type McpContext, type McpServer } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'

export const modernVersion = '2026-07-28'
export const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const versions = [...legacyVersions, modernVersion] as const

export type Version = (typeof versions)[number]

/** A tool with untyped arguments, because the tests send values that no type allows. */
export interface WireTool extends Omit<AddedTool, 'handler'> {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly handler: (args: any, context: McpContext) => unknown
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

export interface Client {
  /** Sends a request in the client's revision and resolves with the whole response. */
  request(method: string, params?: object): Promise<Message>
  call(name: string, args?: object, meta?: object): Promise<Message>
  send(message: unknown): void
  /** Every received message, in order. */
  readonly received: readonly Message[]
  close(): Promise<void>
}

const clients: Client[] = []

export async function closeClients(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close()))
}

export async function serve(tools: readonly WireTool[] = [], options: Partial<ServerOptions> = {}) {
  const server = await createServer({
    name: 'wire',
    version: '1.0.0',
    controllers: [],
    logger: pino({ enabled: false }) as never,
    ...options,
  })
  for (const tool of tools) server.catalog.addTool(tool)
  return server
}

/** A client that speaks one revision with a server of these tools. */
export async function speak(
  version: Version,
  tools: readonly WireTool[] = [],
  options: Partial<ServerOptions> = {},
): Promise<Client> {
  return speakTo(await serve(tools, options), version)
}

export async function speakTo(server: McpServer, version: Version): Promise<Client> {
  const received: Message[] = []
  const waiting = new Map<unknown, (message: Message) => void>()
  const connection = connectInMemory(server, {
    onMessage: (message: Message) => {
      received.push(message)
      waiting.get(message.id)?.(message)
    },
  })
  let lastId = 0
  const request = (method: string, params: object = {}): Promise<Message> => {
    const id = ++lastId
    const answered = new Promise<Message>((resolve) => {
      waiting.set(id, resolve)
    })
    connection.send({ jsonrpc: '2.0', id, method, params: version === modernVersion ? withMeta(params) : params })
    return answered
  }
  const client: Client = {
    request,
    call: (name, args = {}, meta = {}) => request('tools/call', { name, arguments: args, _meta: meta }),
    send: (message) => connection.send(message),
    received,
    close: () => connection.close(),
  }
  clients.push(client)
  if (version !== modernVersion) {
    await request('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'raw', version: '0' },
    })
  }
  return client
}

function withMeta(params: { _meta?: object }): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...params._meta,
  }
  return { ...params, _meta }
}
