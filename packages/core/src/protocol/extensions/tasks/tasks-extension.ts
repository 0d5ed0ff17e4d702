import { MissingCapabilityError } from '../../../errors/client-request-errors.js'
import { isJsonObject, type JsonObject } from '../../../rpc/messages.js'

export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What the extension's methods are named in a request's declaration. Spec: extensions, "Negotiation". */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension])
}

/** @throws ProtocolError -32021 for a request whose client did not say that it takes tasks. */
export function requireTasks(clientCapabilities: JsonObject): void {
  if (!declaresTasks(clientCapabilities)) throw new MissingCapabilityError({ extensions: { [tasksExtension]: {} } })
}
