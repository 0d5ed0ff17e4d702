import { ProtocolError } from '../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'

/** @throws ProtocolError -32602 */
export function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value === 'string') return value
  throw new ProtocolError('invalidParams', `Invalid params: "${member}" must be a string`)
}

/** A new object each time where none came: defaults are filled in in place. @throws ProtocolError -32602 */
export function readArguments({ arguments: args = {} }: JsonObject): JsonObject {
  if (isJsonObject(args)) return args
  throw new ProtocolError('invalidParams', 'Invalid params: "arguments" must be an object')
}
