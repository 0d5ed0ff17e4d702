import type { ProtocolError } from '../errors/protocol-error.js'
import type { ExactId } from './messages.js'

// Answers are put together as text: results arrive as JSON that was serialised once, often at boot.

/** A JSON-RPC response. `result` is the JSON text of the result, or the bytes of that: what is long is only copied. */
export function resultResponse(id: ExactId, result: string | Buffer): string | Buffer {
  const head = `{"jsonrpc":"2.0","id":${encodeId(id)},"result":`
  return typeof result === 'string' ? `${head}${result}}` : Buffer.concat([Buffer.from(head), result, end])
}

const end = Buffer.from('}')

/** A JSON-RPC error response. Without an id it has no `id` member: the newer schemas do not allow `null`. */
export function errorResponse(id: ExactId | undefined, error: ProtocolError): string {
  const idMember = id === undefined ? '' : `"id":${encodeId(id)},`
  const body = JSON.stringify({ code: error.code, message: error.message, data: error.data })
  return `{"jsonrpc":"2.0",${idMember}"error":${body}}`
}

export function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

export function encodeId(id: ExactId): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id)
}
