import type { JsonObject, RequestId } from '../rpc/messages.js'

/** A progress token is a string or an integer; anything else asks for no progress. */
export function readProgressToken({ progressToken: token }: JsonObject): RequestId | undefined {
  return typeof token === 'string' || Number.isSafeInteger(token) ? (token as RequestId) : undefined
}
