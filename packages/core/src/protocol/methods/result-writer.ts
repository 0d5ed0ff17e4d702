import type { FeatureMethod } from '../../call/call.js'
import { refuseOversized } from '../../limits/oversized-result.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Revision } from '../revisions.js'

/** Completes a result's members (JSON text without the braces) with what the era wants in every result. */
export type CompleteResult = (members: string, meta: JsonObject | null) => string

/** What the methods of one revision are made with. */
export interface ResultWriter {
  readonly dependencies: ProtocolDependencies
  readonly revision: Revision
  readonly completeResult: CompleteResult
  /** Members that say how long a result may be kept, as JSON text that begins with a comma; empty in legacy. */
  readonly cacheHints: string
  /** The same for what is not for everybody. */
  readonly privateHints: string
  /** `null` in revisions without tasks. */
  readonly startTask: FeatureMethod['startTask']
}

/** For results with nothing around them: those of legacy clients, and of callers in this process. */
export function createPlainWriter(dependencies: ProtocolDependencies, revision: Revision): ResultWriter {
  const completeResult: CompleteResult = (members, meta) =>
    meta === null || !revision.meta ? `{${members}}` : `{${members},"_meta":${JSON.stringify(meta)}}`
  return { dependencies, revision, completeResult, cacheHints: '', privateHints: '', startTask: null }
}

/** @param what Names the feature, for messages: `Prompt 'greet'`. @throws ProtocolError -32603 */
export function checkSize(members: string, what: string, dependencies: ProtocolDependencies): string {
  const { maxResultBytes } = dependencies
  if (fits(members, maxResultBytes)) return members
  throw refuseOversized(what, maxResultBytes, dependencies)
}

/** A UTF-16 unit is at most three bytes of UTF-8: most texts need no exact count. */
export function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes
}
