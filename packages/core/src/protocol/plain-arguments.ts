import { ProtocolError } from '../errors/protocol-error.js'
import { copyOfScalars } from '../plan/plain-data.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { type JsonBounds, parseJsonText } from '../rpc/parse-json.js'

/**
 * Arguments that a caller in this process gave, as they would have come over a wire: a copy, so that neither side sees
 * what the other does to it, and of bounded depth and size, since a model may have written them.
 *
 * @throws ProtocolError -32602 for what JSON cannot say, -32600 for what is refused of any client.
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
    // A cycle, a BigInt, a nesting that no stack holds.
    throw new ProtocolError('invalidParams', 'Invalid params: the arguments are not JSON')
  }
  if (json === undefined) throw notAnObject()
  return json
}

function notAnObject(): ProtocolError {
  return new ProtocolError('invalidParams', 'Invalid params: "arguments" must be an object')
}
