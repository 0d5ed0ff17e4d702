import type { Limits } from './limits.js'

/** The server that keeps things in a store. */
export interface StoreOwner {
  /** The option `name` of the server. */
  readonly name: string
  /** Its limits, with the defaults of those that were left out. */
  readonly limits: Limits
}
