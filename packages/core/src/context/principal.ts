import type { JsonObject } from '../rpc/messages.js'

/** The authenticated caller. */
export interface Principal {
  /** Who it is: the `sub` of a token, the owner of a key. */
  readonly subject: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** What else the credentials said. */
  readonly claims: JsonObject
  /**
   * Seconds since the epoch: from then on the credentials are not good, whatever clocks may differ by included. Streams
   * that were opened with them end then. Left out: they have no end that is known.
   */
  readonly expiresAt?: number
}
