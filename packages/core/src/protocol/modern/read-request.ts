import { shorten } from '@toolwright/schema'
import { mayUse } from '../../call/call.js'
import { isReachable } from '../../call/check-transport.js'
import type { HeaderParameter } from '../../catalog/define/header-parameters.js'
import { isLoggingLevel } from '../../context/logging-level.js'
import type { RequestHeaders } from '../../context/mcp-context.js'
import type { Viewer } from '../../context/viewer.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject, type RpcRequest, withoutNulls } from '../../rpc/messages.js'
import { readClientInfo } from '../client-info.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { RequestMeta } from '../request-call.js'
import { findRevision, type OfferedRevisions } from '../revisions.js'

const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'
const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** Metadata of a modern request. Spec: basic, "_meta", "Request metadata". */
interface ModernMeta extends RequestMeta {
  readonly protocolVersion: string
}

export function claimsModern(params: JsonObject): boolean {
  const meta = params['_meta']
  return isJsonObject(meta) && protocolVersionKey in meta
}

export function claimsServedVersion(params: JsonObject, revisions: OfferedRevisions): boolean {
  const meta = params['_meta']
  const version = isJsonObject(meta) ? meta[protocolVersionKey] : undefined
  return typeof version === 'string' && revisions.find('modern', version) !== undefined
}

export function missingMeta({ _meta: meta }: JsonObject): ProtocolError {
  const given = isJsonObject(meta) ? meta : {}
  const names: string[] = []
  if (typeof given[protocolVersionKey] !== 'string') names.push(protocolVersionKey)
  if (!isJsonObject(given[clientCapabilitiesKey])) names.push(clientCapabilitiesKey)
  return new ProtocolError('invalidMeta', `Missing required _meta fields: ${names.join(', ')}`)
}

export function readRequestMeta(params: JsonObject): ModernMeta {
  const meta = params['_meta'] as JsonObject
  const protocolVersion = meta[protocolVersionKey]
  const clientCapabilities = meta[clientCapabilitiesKey]
  if (typeof protocolVersion !== 'string' || !isJsonObject(clientCapabilities)) throw missingMeta(params)
  const logLevel = meta[logLevelKey] ?? undefined
  if (logLevel !== undefined && !isLoggingLevel(logLevel)) {
    throw new ProtocolError('invalidParams', `Invalid params: unknown log level in _meta "${logLevelKey}"`)
  }
  return {
    protocolVersion,
    clientCapabilities: withoutNulls(clientCapabilities),
    clientInfo: meta[clientInfoKey] === undefined ? null : readClientInfo(meta[clientInfoKey]),
    logLevel: logLevel ?? null,
    all: meta,
  }
}

export function unsupportedVersion(requested: string, { modern }: OfferedRevisions): ProtocolError {
  const data = { supported: modern, requested: shorten(requested) }
  return new ProtocolError('unsupportedProtocolVersion', 'Unsupported protocol version', data)
}

export function claimedVersion({ _meta: meta }: JsonObject): string {
  return String((meta as JsonObject)[protocolVersionKey])
}

/**
 * Returns an example of a request over HTTP, for users to try: a minimal body and the required headers.
 *
 * @param version Revision of the request.
 */
export function writeExample(method: string, version: string) {
  if (findRevision(version)?.era === 'legacy') {
    const headers = { 'mcp-protocol-version': version }
    return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) }
  }
  const _meta = { [protocolVersionKey]: version, [clientCapabilitiesKey]: {} }
  return {
    headers: { 'mcp-protocol-version': version, 'mcp-method': method },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
  }
}

// A modern HTTP request repeats values of its body in headers, for routing by proxies. Each header is compared with the body, so
// that the server runs the same call that the proxy routed. Spec: transports, "Standard Headers" and "Custom Headers".

/**
 * Checks the headers of a legacy request. Legacy clients need not send these headers. A header that is sent must match the body,
 * because a proxy can route by the header.
 */
export function checkLegacyHeaders(request: RpcRequest, headers: RequestHeaders): void {
  if (headers['mcp-method'] !== undefined) compare('Mcp-Method', headers['mcp-method'], request.method)
  if (headers['mcp-name'] !== undefined) checkName(request, headers)
}

/**
 * Whether the required headers repeat the body literally, as those of most clients. If not, the following functions find the
 * difference, or accept another spelling.
 */
export function repeatsBody({ method, params }: RpcRequest, version: string, headers: RequestHeaders): boolean {
  if (headers['mcp-protocol-version'] !== version || headers['mcp-method'] !== method) return false
  const member = nameMembers[method]
  const name = member === undefined ? undefined : params[member]
  return typeof name !== 'string' || (headers['mcp-name'] === name && neverEncoded.test(name))
}

/**
 * Compares the version and method headers, if present, with the body. Called before the version is validated, so that a mismatch
 * is not reported as an unsupported version.
 */
export function checkVersionAndMethod(request: RpcRequest, version: string, headers: RequestHeaders): void {
  if (headers['mcp-protocol-version'] !== undefined) {
    compare('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  }
  if (headers['mcp-method'] !== undefined) compare('Mcp-Method', headers['mcp-method'], request.method)
}

export function checkStandardHeaders(request: RpcRequest, headers: RequestHeaders): void {
  if (headers['mcp-protocol-version'] === undefined) throw missing('MCP-Protocol-Version')
  if (headers['mcp-method'] === undefined) throw missing('Mcp-Method')
  checkName(request, headers)
}

function checkName({ method, params }: RpcRequest, headers: RequestHeaders): void {
  const member = nameMembers[method]
  if (member === undefined) return
  const name = params[member]
  // If the body has no name, the method reports the missing name.
  if (typeof name === 'string') compare('Mcp-Name', headers['mcp-name'], name, decodeHeaderValue)
}

const nameMembers: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
})

/**
 * Checks the `Mcp-Param-*` headers of arguments that the tool's input schema marks with `x-mcp-header`. Does nothing for callers
 * who do not see the tool or are not allowed to call it, because errors would reveal the tool's arguments.
 */
export function checkToolHeaders(
  params: JsonObject,
  { principal, transport, headers, meta }: Viewer & { readonly headers: RequestHeaders },
  { plans, catalog }: Pick<ProtocolDependencies, 'plans' | 'catalog'>,
): void {
  const { name } = params
  const plan = plans.tools.get(name as string)
  if (plan === undefined || plan.headerParameters.length === 0) return
  if (!mayUse(plan, principal) || !isReachable(plan, transport)) return
  try {
    for (const parameter of plan.headerParameters)
      checkParameter(parameter, params['arguments'], headers[parameter.header])
  } catch (error) {
    // Checked last, because the call evaluates `enabled` functions, too.
    if (catalog.tools.offers(plan.name, { principal, transport, headers, meta })) throw error
  }
}

function checkParameter(parameter: HeaderParameter, args: unknown, header: string | string[] | undefined): void {
  const value = valueAt(args, parameter.path)
  const { header: name } = parameter
  if (value === undefined || value === null) {
    if (header !== undefined) throw mismatch(`${name} header is present, but the body value is missing or null`)
    return
  }
  if (typeof value === 'string') compare(name, header, value, decodeHeaderValue)
  else if (typeof value === 'number') compareNumber(name, header, value)
  else if (typeof value === 'boolean') compare(name, header, value ? 'true' : 'false', decodeHeaderValue)
  else throw mismatch(`${name} header cannot repeat the body value, which is not a string, integer or boolean`)
}

const decimal = /^-?\d+(\.\d+)?$/

/** Compares numbers: `42.0` equals 42. */
function compareNumber(name: string, header: string | string[] | undefined, value: number): void {
  const decoded = header === undefined ? null : decodeHeaderValue(trim(String(header)))
  const isEqual = decoded !== null && decimal.test(decoded) && Number(decoded) === value
  // Unsafe integers are compared as strings, because two different integers can be the same JavaScript number.
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
  // Node joins repeated headers with a comma. A repeated header therefore never matches the body, which is intended.
  const value = decode(trim(String(header)))
  if (value === null) throw mismatch(`${name} header value is not valid Base64 of UTF-8, or has invalid characters`)
  if (value === expected) return
  throw mismatch(`${name} header value '${shorten(value)}' does not match body value '${shorten(expected)}'`)
}

/** Strings that clients never encode in a header, such as the names of tools. */
const neverEncoded = /^[\w.-]+$/

function asItIs(value: string): string {
  return value
}

/** Removes spaces and tabs, as HTTP allows. `String.trim` would also remove invalid characters. */
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

const prefix = '=?base64?'
const suffix = '?='

/** Visible ASCII, space and tab: the characters that HTTP allows in a header value. */
const plainValue = /^[\t\x20-\x7e]*$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes `=?base64?…?=`, the encoding of header values that HTTP does not allow directly. A value with an incomplete marker, or
 * a marker in another case, is returned unchanged. Spec: transports, "Value Encoding".
 *
 * @returns `null` for an invalid value.
 */
export function decodeHeaderValue(value: string): string | null {
  if (!value.startsWith(prefix) || !value.endsWith(suffix) || value.length < prefix.length + suffix.length) {
    return plainValue.test(value) ? value : null
  }
  const encoded = value.slice(prefix.length, -suffix.length)
  if (!base64.test(encoded)) return null
  // Node decodes leniently: a value is valid only if the decoded bytes encode to the same string again.
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && bytes.toString('base64') === encoded ? text : null
}
