import { MissingCapabilityError } from '../../../errors/client-request-errors.js'
import { isJsonObject, type JsonObject } from '../../../rpc/messages.js'

export const tasksId = 'io.modelcontextprotocol/tasks'

/** Whether the request declares support for tasks. Spec: extensions, "Negotiation". */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[tasksId])
}

/** Checks that the client supports tasks. @throws ProtocolError -32021 */
export function requireTasks(clientCapabilities: JsonObject): void {
  if (!declaresTasks(clientCapabilities)) throw new MissingCapabilityError({ extensions: { [tasksId]: {} } })
}
