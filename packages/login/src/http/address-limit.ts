const windowMs = 60_000

/**
 * Requests that one address can send in a minute. The limit is high, because the users of a hosted client share its addresses; it
 * stops floods.
 */
const maxRequests = 1200

const maxAddresses = 50_000

/** Limits the requests of each address. Every minute begins with new counts, so the memory is limited. */
export class AddressLimit {
  #counts = new Map<string, number>()
  #startedAt = Date.now()

  admits(address: string): boolean {
    if (Date.now() - this.#startedAt >= windowMs || this.#counts.size > maxAddresses) {
      this.#counts = new Map()
      this.#startedAt = Date.now()
    }
    const count = (this.#counts.get(address) ?? 0) + 1
    this.#counts.set(address, count)
    return count <= maxRequests
  }
}
