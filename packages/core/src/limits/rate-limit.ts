import { count, custom, nested, required } from '../options/kinds.js'
import type { OptionRows, OptionsOf } from '../options/option.js'
import { longestTimer } from '../timing/long-timer.js'

const calls = count({ max: Number.MAX_SAFE_INTEGER, fix: 'Give a whole number of at least 1.' })

export const rateLimitOptions = {
  calls: required(calls),
  /** Length of the time window in milliseconds. The window begins with its first call. At most 2,147,483,647 (about 24 days). */
  windowMs: required(
    custom<number>('ms', (windowMs, name, diagnostics) => {
      if (calls.read(windowMs, name, diagnostics) === undefined) return false
      if ((windowMs as number) <= longestTimer) return true
      diagnostics.addBadOption(name, windowMs, `Give at most ${longestTimer}, which is about 24 days.`)
      return false
    }),
  ),
}

/** A limit on the number of calls in a time window. */
export interface RateLimit extends OptionsOf<typeof rateLimitOptions> {}

export function rateLimited<Rows extends OptionRows>(rows: Rows) {
  const fix = 'Give a number of calls and a period in milliseconds: { calls: 100, windowMs: 60_000 }.'
  return nested(rows, { default: null, fix })
}
