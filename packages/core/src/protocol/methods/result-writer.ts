import { rejectOversized } from '../../limits/counter.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Revision } from '../revisions.js'

/**
 * Returns a complete result as JSON: adds `_meta` and the members that the era requires. @param members JSON without the braces.
 */
export type CompleteResult = (members: string, meta: JsonObject | null) => string

export interface ResultWriter {
  readonly dependencies: ProtocolDependencies
  readonly revision: Revision
  readonly completeResult: CompleteResult
  /** Returns a function like `completeResult` for results of a different type. Results of the legacy era have no type. */
  readonly completeAs: (resultType: string) => CompleteResult
  readonly cacheHints: string
  readonly privateHints: string
}

export function createPlainWriter(dependencies: ProtocolDependencies, revision: Revision): ResultWriter {
  const completeResult: CompleteResult = (members, meta) =>
    meta === null || !revision.meta
      ? `{${members}}`
      : `{${members}${members === '' ? '' : ','}"_meta":${JSON.stringify(meta)}}`
  return { dependencies, revision, completeResult, completeAs: () => completeResult, cacheHints: '', privateHints: '' }
}

/** Checks the size of a result. @param what Label for error messages, such as `Prompt 'greet'`. @throws ProtocolError -32603 */
export function checkSize(members: string, what: string, dependencies: ProtocolDependencies): string {
  const { maxResultBytes } = dependencies
  if (fits(members, maxResultBytes)) return members
  throw rejectOversized(what, maxResultBytes, dependencies)
}

/**
 * Whether a string has at most `maxBytes` in UTF-8. Most strings need no exact count, because a UTF-16 code unit becomes at most
 * three bytes.
 */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
}
