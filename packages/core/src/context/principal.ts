import type { JsonObject } from '../rpc/messages.js'

/** The authenticated caller. */
export interface Principal {
  /** Who it is: the `sub` of a token, the owner of a key. */
  readonly subject: string
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  /** What else the credentials said. */
  readonly claims: JsonObject
}
