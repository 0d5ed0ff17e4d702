import type { Principal } from '../../context/principal.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { Method } from '../era.js'

/**
 * Methods of a kind of feature that was never served are unknown: its capability is not declared either. The same goes for
 * whom all of them are hidden from.
 */
export function whenUsed(
  shelves: readonly { isKnownTo(principal: Principal | null): boolean }[],
  methods: [string, Method][],
): [string, Method][] {
  return methods.map(([name, method]) => [
    name,
    (call) => {
      if (shelves.some((shelf) => shelf.isKnownTo(call.context.principal))) return method(call)
      throw new ProtocolError('methodNotFound', `Method not found: ${name}`)
    },
  ])
}
