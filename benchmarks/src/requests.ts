export type EraName = 'modern' | 'legacy'
export type MethodName = 'tools/call' | 'tools/list'

/** An HTTP request, ready to be sent any number of times. */
export interface PreparedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const versions = { modern: '2026-07-28', legacy: '2025-11-25' } as const
const firstId = 100
const clientInfo = { name: 'benchmark', version: '1.0.0' }

const baseHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': versions.modern,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Tool and arguments of the calls. */
export const callParams = { name: 'add_numbers', arguments: { a: 2, b: 3 } } as const

const paramsOf = {
  'tools/call': callParams,
  'tools/list': {},
} as const

/** Creates a request as the official client sends it. */
export function prepareRequest(method: MethodName, era: EraName, session: string | null): PreparedRequest {
  const params = paramsOf[method]
  return era === 'modern'
    ? { headers: modernHeaders(method), body: toBody(method, { ...params, _meta: modernMeta }) }
    : { headers: legacyHeaders(session), body: toBody(method, params) }
}

/** Adds a token to a request. */
export function withToken({ headers, body }: PreparedRequest, token: string): PreparedRequest {
  return { headers: { ...headers, authorization: `Bearer ${token}` }, body }
}

/** The first message of a legacy client. */
export const initializeRequest: PreparedRequest = {
  headers: baseHeaders,
  body: toBody('initialize', { protocolVersion: versions.legacy, clientInfo, capabilities: {} }),
}

/** Returns the message of a request, as parsed by a transport. */
export function messageOf({ body }: PreparedRequest): unknown {
  return JSON.parse(body)
}

/**
 * Returns the body with a separate id for each connection. All ids have three digits, so that all responses have the same
 * length.
 */
export function withId({ body }: PreparedRequest, connection: number): string {
  return body.replace(`"id":${firstId}`, `"id":${firstId + connection}`)
}

function toBody(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: firstId, method, params })
}

function modernHeaders(method: MethodName): PreparedRequest['headers'] {
  const headers = { ...baseHeaders, 'mcp-protocol-version': versions.modern, 'mcp-method': method }
  return method === 'tools/call' ? { ...headers, 'mcp-name': paramsOf[method].name } : headers
}

function legacyHeaders(session: string | null): PreparedRequest['headers'] {
  const headers = { ...baseHeaders, 'mcp-protocol-version': versions.legacy }
  return session === null ? headers : { ...headers, 'mcp-session-id': session }
}
