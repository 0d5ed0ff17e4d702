import { describeValue } from '@toolwright/core/options'

/**
 * Describes a value in a place where a key may have been put by mistake. Strings are omitted, because messages are logged.
 */
export function describeMisplaced(value: unknown): string {
  return typeof value === 'string' ? 'a string' : describeValue(value)
}
