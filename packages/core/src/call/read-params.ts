import { ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** @throws ProtocolError -32602 */
export function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError('invalidParams', `Invalid params: "${member}" must be a string`)
}

/** @throws ProtocolError -32602 */
export function readObject(params: JsonObject, member: string): JsonObject {
  const value = params[member]
  if (isJsonObject(value)) return value
  throw notAnObject(member)
}

/** An empty object where there is none. @throws ProtocolError -32602 */
export function readOptionalObject(params: JsonObject, member: string): JsonObject {
  return params[member] === undefined ? {} : readObject(params, member)
}

/** A new object each time where none came: defaults are filled in in place. @throws ProtocolError -32602 */
export function readArguments({ arguments: args = {} }: JsonObject): JsonObject {
  if (isJsonObject(args)) return args
  throw notAnObject('arguments')
}

function notAnObject(member: string): ProtocolError {
  return new ProtocolError('invalidParams', `Invalid params: "${member}" must be an object`)
}
