import { isAdmitted } from '../../authorization/access-rule.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { HeaderParameter } from '../../catalog/define/header-parameters.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject, type RpcRequest } from '../../rpc/messages.js'
import type { Exchange } from '../exchange.js'
import { decodeHeaderValue } from './header-value.js'

// A modern HTTP request repeats in headers what proxies may route by. What they routed by must be what runs, so every
// header is compared with the body. Spec: transports, "Standard Headers" and "Custom Headers".

/** A legacy request need not repeat anything, but a proxy that routes by these headers does not ask for the era. */
export function checkLegacyHeaders(request: RpcRequest, headers: RequestHeaders): void {
  if (headers['mcp-method'] !== undefined) compare('Mcp-Method', headers['mcp-method'], request.method)
  if (headers['mcp-name'] !== undefined) checkName(request, headers)
}

/** The version and the method, where they are given: compared first, so that a mismatch is never taken for a bad version. */
export function checkGivenHeaders(request: RpcRequest, version: string, headers: RequestHeaders): void {
  if (headers['mcp-protocol-version'] !== undefined) {
    compare('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  }
  if (headers['mcp-method'] !== undefined) compare('Mcp-Method', headers['mcp-method'], request.method)
}

/** What has to be there besides, once the version is known to be served. */
export function checkStandardHeaders(request: RpcRequest, headers: RequestHeaders): void {
  if (headers['mcp-protocol-version'] === undefined) throw missing('MCP-Protocol-Version')
  if (headers['mcp-method'] === undefined) throw missing('Mcp-Method')
  checkName(request, headers)
}

function checkName({ method, params }: RpcRequest, headers: RequestHeaders): void {
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
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
})

/**
 * `Mcp-Param-*` of the arguments that the tool's input schema marks with `x-mcp-header`. Not for callers who may not call
 * it: they learn nothing about its arguments.
 */
export function checkToolHeaders(
  params: JsonObject,
  { headers, principal }: Pick<Exchange, 'headers' | 'principal'>,
  catalog: Catalog,
): void {
  const { name } = params
  const tool = typeof name === 'string' ? catalog.tools.get(name) : undefined
  if (tool === undefined || headers === null || !isAdmitted(tool, principal)) return
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
  else throw mismatch(`${name} header cannot repeat the body value, which is not a string, integer or boolean`)
}

const decimal = /^-?\d+(\.\d+)?$/

/** `42.0` is 42. */
function compareNumber(name: string, header: string | string[] | undefined, value: number): void {
  const decoded = header === undefined ? null : decodeHeaderValue(trim(String(header)))
  const isEqual = decoded !== null && decimal.test(decoded) && Number(decoded) === value
  // Beyond the safe integers two different texts are one number.
  if (!isEqual || !Number.isSafeInteger(Math.trunc(value))) {
    compare(name, header, String(value), decodeHeaderValue)
  }
}

function compare(
  name: string,
  header: string | string[] | undefined,
  expected: string,
  decode: (value: string) => string | null = asItIs,
): void {
  if (header === undefined) throw missing(name)
  if (header === expected && (decode === asItIs || neverEncoded.test(expected))) return
  // Node joins repeated headers with a comma: two equal ones do not equal the body, and must not.
  const value = decode(trim(String(header)))
  if (value === null) throw mismatch(`${name} header value is not valid Base64 of UTF-8, or has invalid characters`)
  if (value === expected) return
  throw mismatch(`${name} header value '${shorten(value)}' does not match body value '${shorten(expected)}'`)
}

/** Texts that mean the same with and without decoding, such as the names of tools. */
const neverEncoded = /^[\w.-]+$/

function asItIs(value: string): string {
  return value
}

/** HTTP's optional whitespace, and no more: `String.trim` would also take characters that are not allowed. */
function trim(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value.charCodeAt(start))) start++
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--
  return value.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function missing(name: string): ProtocolError {
  return mismatch(`${name} header is missing`)
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
