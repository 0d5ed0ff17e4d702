import { isRequestId, type JsonObject, type RequestId } from '../rpc/messages.js'

/** A progress token is what an id can be; anything else asks for no progress. Each notification repeats it. */
export function readProgressToken({ progressToken: token }: JsonObject): RequestId | undefined {
  return isRequestId(token) ? token : undefined
}
