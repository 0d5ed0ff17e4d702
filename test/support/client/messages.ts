// Messages as data: for tables of cases, for batches, and for `client.send`.

export const modernVersion = '2026-07-28'
export const legacyVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
} as const

export type Params = Readonly<Record<string, unknown>>

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number | string
  readonly method: string
  readonly params?: Params
}

/** A request of a legacy client. Without `params`, the message has no such member. */
export function legacyMessage(method: string, params?: Params, id: number | string = 1): Message {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

/** A request of a modern client. @param meta Members of `_meta`; `undefined` omits a required one. */
export function modernMessage(method: string, params: Params = {}, meta: object = {}): Message {
  const _meta = {
    [metaKeys.version]: modernVersion,
    [metaKeys.capabilities]: {},
    ...(params['_meta'] as object),
    ...meta,
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

/** The handshake of a legacy client. @param params Replace the usual capabilities or client info. */
export function initializeMessage(protocolVersion: string, params: object = {}): Message {
  return legacyMessage('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'raw', version: '0.0.0' },
    ...params,
  })
}

/** The params of `tools/call`. */
export function toolCall(name: string, args: object = {}): Params {
  return { name, arguments: args }
}

export function notification(method: string, params?: Params): Message {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
}

/** The headers that a modern client derives from its message. */
export function headersOf({ method, params = {} }: Message): Record<string, string> {
  const meta = (params['_meta'] ?? {}) as Record<string, unknown>
  const name = method === 'resources/read' ? params['uri'] : params['name']
  return {
    'mcp-protocol-version': String(meta[metaKeys.version]),
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  }
}
