import { isLoggingLevel, type LoggingLevel } from '../../context/logging-level.js'
import type { ClientInfo } from '../../context/mcp-context.js'
import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { readClientInfo } from '../client-info.js'
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
    clientInfo: readClientInfo(meta[clientInfoKey]),
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
