import type { StoreOwner } from '../../limits/limits.js'
import type { MaybePromise } from '../../timing/maybe-promise.js'

export interface RoundRunKey {
  /** Unguessable id of the round: the call, its rounds so far, and their answers. */
  readonly roundId: string
  /** Random id of the run. */
  readonly runId: string
}

/**
 * Result of `enter`:
 * - `entered`: this run may begin.
 * - `running`: another run is in progress.
 * - `answered`: an earlier run has stored its response.
 * - `full`: a limit is reached.
 *
 * `steps` has the results of earlier runs, by name of the step.
 */
export type RoundEntry =
  | { readonly status: 'entered'; readonly steps: Readonly<Record<string, string>> }
  | { readonly status: 'running' }
  | { readonly status: 'answered'; readonly response: string; readonly steps: Readonly<Record<string, string>> }
  | { readonly status: 'full' }

/**
 * Stores the steps and responses of rounds, so that a repeated round does not run them again. The default store keeps them in the
 * memory of this process. If several processes serve the same clients, they need a shared store. Every operation is atomic. All
 * values are opaque strings.
 */
export interface RoundStore {
  /**
   * Called one time when a server that uses this store boots, with the server's name and limits. An error thrown here prevents
   * the server from starting.
   */
  prepare?(owner: StoreOwner): MaybePromise<void>
  /**
   * Begins a run, unless another run is in progress or the round has a response. A run is in progress until it calls `end`, or
   * has not called `renew` for `leaseMs`.
   *
   * @param caller Key of the caller, for limits per caller; `null`: only the limits of all callers apply.
   * @param keptMs Lifetime of a round in milliseconds.
   */
  enter(key: RoundRunKey, caller: string | null, leaseMs: number, keptMs: number): Promise<RoundEntry>
  /** Extends the time of a run. @returns False if another run has begun. */
  renew(key: RoundRunKey, leaseMs: number): Promise<boolean>
  /**
   * Stores the result of a step. A stored result never changes.
   *
   * @returns `lost` if another run has begun; `full` if a limit is reached.
   */
  storeStep(key: RoundRunKey, caller: string | null, name: string, result: string): Promise<'stored' | 'lost' | 'full'>
  /**
   * Ends a run, with the response of the round or with `null`.
   *
   * @returns False if the response exceeds a limit. The run then stays in progress.
   */
  end(key: RoundRunKey, caller: string | null, response: string | null): Promise<boolean>
}
