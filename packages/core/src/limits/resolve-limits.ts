import { adviceOn, requireNumber } from '../check-options.js'
import type { Problems } from '../errors/problems.js'
import { defaultLimits, type Limits } from './limits.js'

/** Checks what is given, and takes the rest from `defaultLimits`. */
export function resolveLimits(given: Partial<Limits>, problems: Problems): Limits {
  const limits: Record<string, unknown> = { ...defaultLimits }
  for (const [limit, value] of Object.entries(given)) {
    if (!(limit in defaultLimits)) {
      problems.add('bad-option', `limits.${limit} is no limit. ${adviceOn(limit, Object.keys(defaultLimits))}`)
    } else if (value !== undefined) {
      requireNumber(`limits.${limit}`, value, 1, largest(limit), problems)
      limits[limit] = value
    }
  }
  return limits as unknown as Limits
}

/** Fastify takes no body that may be of any size. */
function largest(limit: string): number {
  return limit === 'maxMessageBytes' ? Number.MAX_SAFE_INTEGER : Infinity
}
