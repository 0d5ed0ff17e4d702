import { type JsonObject, ToolError } from '@toolwright/core'

/** Member of `_meta` that counts the proxies that a request has passed. */
export const hopsKey = 'toolwright/hops'

/** Maximum number of proxies that a request passes. */
const maxHops = 8

/** Returns the count for the next server. @throws ToolError if the request has passed too many proxies. */
export function nextHop(meta: JsonObject): number {
  const hops = meta[hopsKey]
  const count = typeof hops === 'number' && Number.isSafeInteger(hops) && hops > 0 ? hops : 0
  if (count < maxHops) return count + 1
  throw new ToolError(
    `The request has passed ${maxHops} proxies. Two of the servers are probably upstreams of each other.`,
  )
}
