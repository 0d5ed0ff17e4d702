import { ProtocolError } from '../../errors/protocol-error.js'

/** What a request may hold that is kept while its subscription is open: the longest filter, and who sends it. */
const maxKept = 128 * 1024

/** What a value takes besides its characters, about. */
const ofEachValue = 32

/**
 * A request that lasts is kept whole, and a client can have many: what it holds is bounded more tightly than a message.
 *
 * @throws ProtocolError -32602
 */
export function checkKept(message: unknown): void {
  if (roomBeside(message, maxKept) >= 0) return
  const reason = `the request of a subscription holds at most ${maxKept / 1024} KiB, which are kept while it is open`
  throw new ProtocolError('invalidParams', `Invalid params: ${reason}`)
}

/** Negative: there is no room for it. Looks no further then. */
function roomBeside(value: unknown, room: number): number {
  let left = room - ofEachValue
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  for (const key in value) {
    if (left < 0) break
    left = roomBeside((value as Record<string, unknown>)[key], left - key.length)
  }
  return left
}
