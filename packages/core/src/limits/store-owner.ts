import type { Limits } from './limits.js'

/** The server that uses a store. */
export interface StoreOwner {
  /** The option `name` of the server. */
  readonly name: string
  /** The limits of the server, with defaults filled in. */
  readonly limits: Limits
}
