import { createHash } from 'node:crypto'
import { type Principal, principalKey } from '../../context/principal.js'
import type { RpcRequest } from '../../rpc/messages.js'
import { toSortedJson } from '../../rpc/sorted-json.js'

/** Changes when the meaning of what is sealed does: nodes of two versions then refuse each other's states. */
const format = 'toolwright request state 3'

/** What all rounds of one call have in common: who calls what with which arguments. */
export function bindingOf({ method, params }: RpcRequest, principal: Principal | null): string {
  const digest = createHash('sha256')
    // Clients may send the members of an object in another order.
    .update(toSortedJson(params['arguments'] ?? {}))
    .digest('base64')
  // By the method: a client may send the other one along, which then means nothing.
  const named = method === 'resources/read' ? params['uri'] : params['name']
  return JSON.stringify([format, principalKey(principal), method, named, digest])
}
