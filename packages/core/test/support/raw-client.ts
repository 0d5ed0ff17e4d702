// A client that sends exactly the messages of a test.
import { connectInMemory, type McpServer, type Principal } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'

// oxlint-disable-next-line typescript/no-explicit-any
export type RawMessage = any

export interface RawClient extends AsyncDisposable {
  /** Sends a request, and resolves with its whole response. */
  request(method: string, params?: object): Promise<RawMessage>
  /** Sends a modern request of a client with these capabilities. */
  modern(method: string, params: object, capabilities?: object): Promise<RawMessage>
  /** Sends the legacy handshake. */
  initialize(protocolVersion: string, capabilities?: object): Promise<RawMessage>
  notify(method: string, params?: object): void
  send(message: object): void
  /** The next request or notification of the server, in the order of arrival. */
  next(): Promise<RawMessage>
}

export function openRawClient(server: McpServer, principal?: Principal): RawClient {
  const responses = new Map<number, (message: RawMessage) => void>()
  const arrived: RawMessage[] = []
  const expecting: ((message: RawMessage) => void)[] = []
  let lastId = 0
  const client = connectInMemory(server, {
    ...(principal === undefined ? {} : { principal }),
    onMessage: (message: RawMessage) => {
      if (message.method === undefined) responses.get(message.id)?.(message)
      else if (expecting.length > 0) expecting.shift()?.(message)
      else arrived.push(message)
    },
  })
  const request = (method: string, params?: object): Promise<RawMessage> => {
    const id = ++lastId
    client.send({ jsonrpc: '2.0', id, method, params })
    return new Promise((resolve) => responses.set(id, resolve))
  }
  return {
    request,
    modern: (method, params, capabilities = {}) => request(method, { ...params, _meta: modernMeta(capabilities) }),
    initialize: async (protocolVersion, capabilities = {}) => {
      const clientInfo = { name: 'raw', version: '1' }
      const response = await request('initialize', { protocolVersion, capabilities, clientInfo })
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return response
    },
    notify: (method, params) => client.send({ jsonrpc: '2.0', method, params }),
    send: (message) => client.send(message),
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => expecting.push(resolve)),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A server with its own client, which end together. */
export async function openServer(options: ServerOptions): Promise<AsyncDisposable & { readonly client: RawClient }> {
  const server = await createServer(options)
  const client = openRawClient(server)
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]()
      await server.close()
    },
  }
}

export function modernMeta(capabilities: object): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}
