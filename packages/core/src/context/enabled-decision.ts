/** A decision of `catalog.enable` or `catalog.disable`. Plain data, so that it can be sent to other processes. */
export interface EnabledDecision {
  readonly by: 'name' | 'tag'
  readonly value: string
  readonly isEnabled: boolean
  /** Milliseconds since 1970, raised if necessary: each decision is later than all decisions that its node had received. */
  readonly at: number
  readonly node: string
}
