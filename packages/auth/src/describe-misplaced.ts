import { describeValue } from '@toolwright/core/options'

/** What stands where a key may have been put by mistake. Messages are logged, so no text is repeated. */
export function describeMisplaced(value: unknown): string {
  return typeof value === 'string' ? 'a text' : describeValue(value)
}
