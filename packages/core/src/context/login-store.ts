import type { Gauge } from '../metrics/gauges.js'
import type { MaybePromise } from '../timing/maybe-promise.js'

/**
 * Stores the state of logins: pending logins, codes, tokens and sessions. All values are encrypted, and keys contain no secrets.
 * A store that several nodes share lets each step of a login run on another node. If a method rejects, the request gets `503`.
 */
export interface LoginStore {
  /** Returns a value; `null` if the key is absent or has expired. */
  get(key: string): MaybePromise<string | null>
  /** Stores a value, and replaces an older value. @param keptMs Milliseconds until the key expires. */
  set(key: string, value: string, keptMs: number): MaybePromise<void>
  /**
   * Stores a value unless the key has one, atomically: only the first of two concurrent calls gets `true`.
   *
   * @param keptMs Milliseconds until the key expires. Never evict the key earlier: a code could then be used twice.
   */
  add(key: string, value: string, keptMs: number): MaybePromise<boolean>
  /** Deletes a key and returns its value, atomically: only the first of two concurrent calls gets the value. */
  take(key: string): MaybePromise<string | null>
  /** Usage of the store's limits, for the metrics of the server. Default: none. */
  readonly gauges?: readonly Gauge[]
  /** Whether other processes use the store as well, or the store outlives the process. Default: true. */
  readonly isDurable?: boolean
}
