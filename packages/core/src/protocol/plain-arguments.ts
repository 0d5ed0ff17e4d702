import { ProtocolError } from '../errors/protocol-error.js'
import { copyOfScalars } from '../plan/plain-data.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { type JsonBounds, parseJsonText } from '../rpc/parse-json.js'

/**
 * Copies arguments of an in-process caller through JSON, so that changes by one side do not affect the other. Depth and
 * size are limited, because a model may have written them.
 *
 * @throws ProtocolError -32602 for arguments that JSON cannot express, -32600 for arguments that exceed the limits.
 */
export function toPlainArguments(args: object, bounds: JsonBounds): JsonObject {
  const plain = copyOfScalars(args, bounds.maxKeys) ?? parseJsonText(toJson(args), bounds)
  if (isJsonObject(plain)) return plain
  throw notAnObject()
}

function toJson(args: object): string {
  let json: string | undefined
  try {
    json = JSON.stringify(args)
  } catch {
    // A cycle, a BigInt, or a nesting that overflows the stack.
    throw new ProtocolError('invalidParams', 'Invalid params: the arguments are not JSON')
  }
  if (json === undefined) throw notAnObject()
  return json
}

function notAnObject(): ProtocolError {
  return new ProtocolError('invalidParams', 'Invalid params: "arguments" must be an object')
}
