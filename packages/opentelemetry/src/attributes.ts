import type { Attributes } from '@opentelemetry/api'
import { type FailureKind, type FeatureCall, failureKindOf, ProtocolError } from '@toolwright/core'

// Attributes have the names of the OpenTelemetry semantic conventions for MCP. Arguments, results and error messages
// are not recorded. Session ids are not recorded, because they work like credentials.

/**
 * Returns `tools/call add`: the method, with the name of a tool or prompt. Resource URIs are omitted, because there
 * would be too many span names.
 */
export function spanName({ kind, name, context }: FeatureCall): string {
  return kind === 'tool' || kind === 'prompt' ? `${context.method} ${name}` : context.method
}

export function attributesOf(call: FeatureCall): Attributes {
  const { context, kind, name, round } = call
  return {
    'mcp.method.name': context.method,
    'mcp.protocol.version': context.protocolVersion,
    'jsonrpc.request.id': String(context.requestId),
    ...networkOf(context),
    ...(kind === 'tool' ? { 'gen_ai.tool.name': name, 'gen_ai.operation.name': 'execute_tool' } : {}),
    ...(kind === 'prompt' ? { 'gen_ai.prompt.name': name } : {}),
    ...(call.uri === null ? {} : { 'mcp.resource.uri': withoutSecrets(call.uri) }),
    ...(round === 1 ? {} : { 'toolwright.round': round }),
  }
}

function networkOf({ headers }: FeatureCall['context']): Attributes {
  if (headers === null) return { 'network.transport': 'pipe' }
  return {
    'network.transport': 'tcp',
    'network.protocol.name': headers['upgrade'] === undefined ? 'http' : 'websocket',
  }
}

export function errorAttributes(error: Error, call: FeatureCall): Attributes {
  const kind = failureKindOf(error)
  if (error instanceof ProtocolError) {
    const code = String(error.code)
    return { 'error.type': code, 'rpc.response.status_code': code }
  }
  return { 'error.type': errorType(kind, call), 'toolwright.failure': kind }
}

function errorType(kind: FailureKind, call: FeatureCall): string {
  if (kind === 'timeout' || kind === 'cancelled') return kind
  // A tool returns other failures in its result, so they have no JSON-RPC code.
  return call.kind === 'tool' ? 'tool_error' : '-32603'
}

/** Removes the credentials and parameters of a URI, even if a password contains an `@` or the scheme has no `//`. */
function withoutSecrets(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? ''
  return path.replace(/^([a-z][a-z0-9+.-]*:(?:\/\/)?)[^/]*@/i, '$1').slice(0, 512)
}
