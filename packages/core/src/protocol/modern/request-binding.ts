import { createHash } from 'node:crypto'
import type { Principal } from '../../context/principal.js'
import { principalKey } from '../../context/principal-key.js'
import { isJsonObject, type RpcRequest } from '../../rpc/messages.js'

/** Changes when the meaning of what is sealed does: nodes of two versions then refuse each other's states. */
const format = 'toolwright request state 2'

/** What all rounds of one call have in common: who calls what with which arguments. */
export function bindingOf({ method, params }: RpcRequest, principal: Principal | null): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(sorted(params['arguments'] ?? {})))
    .digest('base64')
  return JSON.stringify([format, principalKey(principal), method, params['name'] ?? params['uri'], digest])
}

/** Clients may send the members of an object in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
