import { isJsonObject, type JsonObject } from '@toolwright/schema'
import { ProtocolError } from '../errors/protocol-error.js'

export { isJsonObject, type JsonObject }

/** JSON-RPC request id: a string or an integer, never `null`. */
export type RequestId = string | number

/** A request id or progress token without loss of precision: a `bigint` if no `number` represents it exactly. */
export type ExactId = RequestId | bigint

export interface RpcRequest {
  readonly kind: 'request'
  readonly id: ExactId
  readonly method: string
  readonly params: JsonObject
}

export interface RpcNotification {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject
}

export interface RpcResponse {
  readonly kind: 'response'
  readonly id: ExactId | undefined
  readonly result: unknown
  readonly error: unknown
}

/** An invalid message. `id` is set when it could be read, so that the error response can repeat it. */
interface MalformedMessage {
  readonly kind: 'malformed'
  readonly id: ExactId | undefined
  readonly reason: string
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse | MalformedMessage

/** Maximum length of an id in characters. Error responses repeat the id, and must stay small. */
const maxIdLength = 256

const noParams: JsonObject = Object.freeze({})

export function isRequestId(value: unknown): value is ExactId {
  if (typeof value === 'string') return value.length <= maxIdLength
  return typeof value === 'bigint' ? String(value).length <= maxIdLength : Number.isInteger(value)
}

/** Converts an id for application code, which could serialize it: `JSON.stringify` rejects a `bigint`. */
export function plainId(id: ExactId): RequestId {
  return typeof id === 'bigint' ? String(id) : id
}

export function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError('invalidParams', `Invalid params: "${member}" must be a string`)
}

export function readObject(params: JsonObject, member: string): JsonObject {
  const value = params[member]
  if (isJsonObject(value)) return value
  throw notAnObject(member)
}

export function readOptionalObject(params: JsonObject, member: string): JsonObject {
  return params[member] === undefined ? {} : readObject(params, member)
}

/**
 * Reads the arguments. If the request has no arguments, returns a new object each time: the defaults of the schema are written
 * into the object.
 *
 * @throws ProtocolError -32602
 */
export function readArguments({ arguments: args = {} }: JsonObject): JsonObject {
  if (isJsonObject(args)) return args
  throw notAnObject('arguments')
}

function notAnObject(member: string): ProtocolError {
  return new ProtocolError('invalidParams', `Invalid params: "${member}" must be an object`)
}

/**
 * Removes members that are `null`: clients in other languages send `null` for omitted members. Returns the object
 * itself if there is nothing to remove.
 */
export function withoutNulls(object: JsonObject): JsonObject {
  for (const name in object) {
    if (object[name] === null) return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
  }
  return object
}

/** Returns the id of the error response to a message; `undefined` if the message has none, or needs no response. */
export function idForError(value: unknown): ExactId | undefined {
  const message = readMessage(value)
  return message.kind === 'request' || message.kind === 'malformed' ? message.id : undefined
}

export function countRequests(message: unknown): number {
  if (Array.isArray(message)) return message.filter(isRequest).length
  return isRequest(message) ? 1 : 0
}

function isRequest(message: unknown): boolean {
  return isJsonObject(message) && 'id' in message && 'method' in message
}

/** Classifies a JSON-RPC message. `value` is untrusted input. */
export function readMessage(value: unknown): RpcMessage {
  if (!isJsonObject(value)) return malformed(undefined, 'a message must be a JSON object')
  const { id } = value
  const method = value['method'] ?? undefined
  const known = isRequestId(id) ? id : undefined
  if (value['jsonrpc'] !== '2.0') return malformed(known, '"jsonrpc" must be "2.0"')
  if (method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', id: known, result: value['result'], error: value['error'] }
  }
  if (typeof method !== 'string') return malformed(known, '"method" must be a string')
  if ('id' in value && known === undefined) {
    return malformed(undefined, `"id" must be an integer or a string of at most ${maxIdLength} characters`)
  }
  const params = value['params'] ?? noParams
  // Notifications have no response, so invalid `params` are dropped rather than reported.
  if (known === undefined) {
    return { kind: 'notification', method, params: isJsonObject(params) ? withoutNulls(params) : noParams }
  }
  return isJsonObject(params)
    ? { kind: 'request', id: known, method, params: withoutNulls(params) }
    : malformed(known, '"params" must be an object')
}

function malformed(id: ExactId | undefined, reason: string): MalformedMessage {
  return { kind: 'malformed', id, reason }
}

// Responses are concatenated as text, because the JSON of a result is often created at boot and reused.

/**
 * Encodes a JSON-RPC response. `result` is the JSON of the result, as a string or as bytes. Long results are passed as bytes,
 * which are not encoded again.
 */
export function resultResponse(id: ExactId, result: string | Buffer): string | Buffer {
  const head = `{"jsonrpc":"2.0","id":${encodeId(id)},"result":`
  return typeof result === 'string' ? `${head}${result}}` : Buffer.concat([Buffer.from(head), result, end])
}

const end = Buffer.from('}')

/**
 * Encodes a JSON-RPC error response. Without an id, the response has no `id` member, because newer schemas do not allow `null`.
 */
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
