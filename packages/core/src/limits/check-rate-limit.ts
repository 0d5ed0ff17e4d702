import { checkNames, isObject } from '../check-options.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { longestTimer } from '../timing/long-timer.js'
import type { RateLimit } from './rate-limiter.js'

/**
 * @param name For messages: `rateLimit`, or `Search.find: rateLimit`.
 * @param known What it can have. Default: calls and windowMs.
 */
export function checkRateLimit(
  name: string,
  limit: RateLimit | undefined,
  diagnostics: Diagnostics,
  known: readonly string[] = ['calls', 'windowMs'],
): void {
  if (limit === undefined) return
  if (!isObject(limit)) {
    const fix = 'Give how many calls in how many milliseconds: { calls: 100, windowMs: 60_000 }.'
    diagnostics.addBadOption(name, limit, fix)
    return
  }
  checkNames(limit, known, diagnostics, { prefix: `${name}.` })
  const { calls, windowMs } = limit
  for (const [member, value] of Object.entries({ calls, windowMs })) {
    if (Number.isInteger(value) && value > 0) continue
    diagnostics.addBadOption(`${name}.${member}`, value, 'Give a whole number of at least 1.')
  }
  if (Number.isInteger(windowMs) && windowMs > longestTimer) {
    diagnostics.addBadOption(`${name}.windowMs`, windowMs, `Give at most ${longestTimer}, which is some 24 days.`)
  }
}
