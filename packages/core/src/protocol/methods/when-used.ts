import { ProtocolError } from '../../errors/protocol-error.js'
import type { Method } from '../era.js'

/** Methods of a kind of feature that was never served are unknown: its capability is not declared either. */
export function whenUsed(
  shelves: readonly { readonly isUsed: boolean }[],
  methods: [string, Method][],
): [string, Method][] {
  return methods.map(([name, method]) => [
    name,
    (call) => {
      if (shelves.some((shelf) => shelf.isUsed)) return method(call)
      throw new ProtocolError('methodNotFound', `Method not found: ${name}`)
    },
  ])
}
