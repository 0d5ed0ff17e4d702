import { shorten } from '@toolwright/schema'
import { acceptOtherCopies } from '../copies/copies.js'
import { ProtocolError } from './protocol-error.js'

export class UnknownFeatureError extends ProtocolError {
  /** The name that the client sent, truncated to 128 characters. */
  readonly featureName: string

  /**
   * @param feature Its kind: `tool`, `prompt`, …
   * @param suggestions Similar names of features that the caller can see.
   */
  constructor(
    readonly feature: string,
    featureName: string,
    readonly suggestions: readonly string[],
  ) {
    const shortened = shorten(featureName)
    super('invalidParams', `Unknown ${feature}: ${shortened}`, suggestions.length > 0 ? { suggestions } : undefined)
    this.featureName = shortened
  }
}
acceptOtherCopies(UnknownFeatureError, 'UnknownFeatureError')
