import { checkNames, isObject } from '../check-options.js'
import type { Problems } from '../errors/problems.js'
import { longestTimer } from '../timing/start-timer.js'
import type { RateLimit } from './rate-limiter.js'

/**
 * @param name For messages: `rateLimit`, or `Search.find: rateLimit`.
 * @param known What it can have. Default: calls and windowMs.
 */
export function checkRateLimit(
  name: string,
  limit: RateLimit | undefined,
  problems: Problems,
  known: readonly string[] = ['calls', 'windowMs'],
): void {
  if (limit === undefined) return
  if (!isObject(limit)) {
    const fix = 'Give how many calls in how many milliseconds: { calls: 100, windowMs: 60_000 }.'
    problems.addBadOption(name, limit, fix)
    return
  }
  checkNames(limit, known, problems, { prefix: `${name}.` })
  const { calls, windowMs } = limit
  for (const [member, value] of Object.entries({ calls, windowMs })) {
    if (Number.isInteger(value) && value > 0) continue
    problems.addBadOption(`${name}.${member}`, value, 'Give a whole number of at least 1.')
  }
  if (Number.isInteger(windowMs) && windowMs > longestTimer) {
    problems.addBadOption(`${name}.windowMs`, windowMs, `Give at most ${longestTimer}, which is some 24 days.`)
  }
}
