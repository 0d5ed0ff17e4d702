import { mayUse } from '../../call/call.js'
import type { HeaderParameter } from '../../catalog/define/header-parameters.js'
import { isLoggingLevel, type LoggingLevel } from '../../context/logging-level.js'
import type { ClientInfo, RequestHeaders } from '../../context/mcp-context.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import { isJsonObject, type JsonObject, type RpcRequest } from '../../rpc/messages.js'
import { readClientInfo } from '../client-info.js'
import type { Exchange } from '../exchange.js'
import { findRevision, latest, modernVersions, type Revision } from '../revisions.js'

const protocolVersionKey = 'io.modelcontextprotocol/protocolVersion'
const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
const logLevelKey = 'io.modelcontextprotocol/logLevel'

/** What a modern request says about itself. Spec: basic, "_meta", "Request metadata". */
interface RequestMeta {
  readonly protocolVersion: string
  readonly clientCapabilities: JsonObject
  readonly clientInfo: ClientInfo | null
  readonly logLevel: LoggingLevel | null
  readonly all: JsonObject
}

/** Whether a message claims to be modern. Whatever the claim says: a bad one is an error, not a legacy message. */
export function claimsModern(params: JsonObject): boolean {
  const meta = params['_meta']
  return isJsonObject(meta) && protocolVersionKey in meta
}

/** Whether the claim names a version that is served as modern. */
export function claimsServedVersion(params: JsonObject): boolean {
  const meta = params['_meta']
  const version = isJsonObject(meta) ? meta[protocolVersionKey] : undefined
  return typeof version === 'string' && findRevision(version)?.era === 'modern'
}

/** What a modern request lacks, or has in a form that says nothing. */
export function missingMeta({ _meta: meta }: JsonObject): ProtocolError {
  const given = isJsonObject(meta) ? meta : {}
  const missing: string[] = []
  if (typeof given[protocolVersionKey] !== 'string') missing.push(protocolVersionKey)
  if (!isJsonObject(given[clientCapabilitiesKey])) missing.push(clientCapabilitiesKey)
  return new ProtocolError('invalidMeta', `Missing required _meta fields: ${missing.join(', ')}`)
}

export function readRequestMeta(params: JsonObject): RequestMeta {
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
    clientCapabilities,
    clientInfo: meta[clientInfoKey] === undefined ? null : readClientInfo(meta[clientInfoKey]),
    logLevel: logLevel ?? null,
    all: meta,
  }
}

/** @throws ProtocolError -32022 for a version that is not served in this era. */
export function findModernRevision(version: string): Revision {
  const revision = findRevision(version)
  if (revision?.era === 'modern') return revision
  const data = { supported: modernVersions, requested: shorten(version) }
  throw new ProtocolError('unsupportedProtocolVersion', 'Unsupported protocol version', data)
}

/**
 * What a client of the newest revision sends over HTTP, for people to try: a request that says no more than it has to, and
 * the headers that repeat it.
 */
export function writeExample(method: string) {
  const { version } = latest
  const _meta = { [protocolVersionKey]: version, [clientCapabilitiesKey]: {} }
  return {
    headers: { 'mcp-protocol-version': version, 'mcp-method': method },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
  }
}

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
  tools: ReadonlyMap<string, ToolPlan>,
): void {
  const { name } = params
  const plan = tools.get(name as string)
  if (plan === undefined || plan.headerParameters.length === 0) return
  if (headers === null || !mayUse(plan, principal)) return
  for (const parameter of plan.headerParameters)
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

const prefix = '=?base64?'
const suffix = '?='

/** Visible ASCII, space and tab: what HTTP allows in a value. */
const plainValue = /^[\t\x20-\x7e]*$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes `=?base64?…?=`, the way in which a header carries what HTTP does not allow in one. The marker is exact: in
 * any other case, and without its end, it is a plain value. Spec: transports, "Value Encoding".
 *
 * @returns `null` for a value that is not allowed.
 */
export function decodeHeaderValue(value: string): string | null {
  if (!value.startsWith(prefix) || !value.endsWith(suffix) || value.length < prefix.length + suffix.length) {
    return plainValue.test(value) ? value : null
  }
  const encoded = value.slice(prefix.length, -suffix.length)
  if (!base64.test(encoded)) return null
  // Node decodes leniently: only what encodes to the same text again was valid.
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && bytes.toString('base64') === encoded ? text : null
}
