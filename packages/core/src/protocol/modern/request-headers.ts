import type { Catalog } from '../../catalog/catalog.js'
import type { HeaderParameter } from '../../catalog/header-parameters.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject, type RpcRequest } from '../../rpc/messages.js'
import { decodeHeaderValue } from './header-value.js'

// A modern HTTP request repeats in headers what proxies may route by. What they routed by must be what runs, so every
// header is compared with the body. Spec: transports, "Standard Headers" and "Custom Headers".

/** The version and, where it is given, the method: compared first, so that a mismatch is never taken for a bad version. */
export function checkVersionHeader(request: RpcRequest, version: string, headers: RequestHeaders): void {
  compare('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  if (headers['mcp-method'] !== undefined) compare('Mcp-Method', headers['mcp-method'], request.method)
}

export function checkStandardHeaders({ method, params }: RpcRequest, headers: RequestHeaders): void {
  compare('Mcp-Method', headers['mcp-method'], method)
  const member = nameMembers[method]
  if (member === undefined) return
  const name = params[member]
  // A request without its name is answered as such by the method.
  if (typeof name === 'string') compare('Mcp-Name', headers['mcp-name'], name, decodeHeaderValue)
}

/** Which parameter `Mcp-Name` repeats. */
const nameMembers: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
})

/** `Mcp-Param-*` of the arguments that the tool's input schema marks with `x-mcp-header`. */
export function checkToolHeaders(params: JsonObject, headers: RequestHeaders, catalog: Catalog): void {
  const { name } = params
  const tool = typeof name === 'string' ? catalog.tools.get(name) : undefined
  if (tool === undefined) return
  for (const parameter of tool.headerParameters)
    checkParameter(parameter, params['arguments'], headers[parameter.header])
}

function checkParameter(parameter: HeaderParameter, args: unknown, header: string | string[] | undefined): void {
  const value = valueAt(args, parameter.path)
  const { header: name } = parameter
  if (value === undefined || value === null) {
    if (header !== undefined) throw mismatch(`${name} header has no value in the body`)
    return
  }
  if (typeof value === 'string') compare(name, header, value, decodeHeaderValue)
  else if (typeof value === 'number') compareNumber(name, header, value)
  else if (typeof value === 'boolean') compare(name, header, value ? 'true' : 'false', decodeHeaderValue)
}

/** `42.0` is 42. */
function compareNumber(name: string, header: string | string[] | undefined, value: number): void {
  const decoded = typeof header === 'string' ? decodeHeaderValue(header.trim()) : undefined
  const isNumber = decoded !== undefined && decoded !== null && /^-?\d+(\.\d+)?$/.test(decoded)
  if (!isNumber || Number(decoded) !== value) compare(name, header, String(value), decodeHeaderValue)
}

function compare(
  name: string,
  header: string | string[] | undefined,
  expected: string,
  decode: (value: string) => string | null = (value) => value,
): void {
  if (header === undefined) throw mismatch(`${name} header is missing`)
  // Node joins repeated headers with a comma: two equal ones do not equal the body, and must not.
  const value = decode(String(header).trim())
  if (value === null) throw mismatch(`${name} header value is not valid Base64 of UTF-8, or has invalid characters`)
  if (value === expected) return
  throw mismatch(`${name} header value '${shorten(value)}' does not match body value '${shorten(expected)}'`)
}

function mismatch(detail: string): ProtocolError {
  return new ProtocolError('headerMismatch', `Header mismatch: ${detail}`)
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  )
}
