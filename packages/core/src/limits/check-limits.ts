import { describeValue } from '../errors/describe-value.js'
import type { Problems } from '../errors/problems.js'
import type { RateLimit } from './rate-limiter.js'

/** @param name For messages: `rateLimit`, or `Search.find: rateLimit`. */
export function checkRateLimit(name: string, limit: RateLimit | undefined, problems: Problems): void {
  if (limit === undefined) return
  const { calls, windowMs } = (limit ?? {}) as Partial<RateLimit>
  for (const [member, value] of Object.entries({ calls, windowMs })) {
    if (Number.isInteger(value) && (value as number) > 0) continue
    problems.add('bad-option', `${name}.${member} is ${describeValue(value)}. Give a whole number of at least 1.`)
  }
}
