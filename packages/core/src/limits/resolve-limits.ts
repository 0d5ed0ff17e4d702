import { adviceOn, requireNumber, requireObject } from '../check-options.js'
import type { Problems } from '../errors/problems.js'
import { defaultLimits, type Limits } from './limits.js'

/**
 * Checks what is given, and takes the rest from `defaultLimits`.
 *
 * @param option What they were given as, for messages.
 */
export function resolveLimits(option: string, given: Partial<Limits> | undefined, problems: Problems): Limits {
  const limits: Record<string, unknown> = { ...defaultLimits }
  for (const [limit, value] of Object.entries(requireObject(option, given, problems))) {
    if (!(limit in defaultLimits)) {
      problems.add('bad-option', `${option}.${limit} is not a limit. ${adviceOn(limit, Object.keys(defaultLimits))}`)
    } else if (value !== undefined) {
      requireNumber(`${option}.${limit}`, value, 1, largest(limit), problems)
      limits[limit] = value
    }
  }
  return limits as unknown as Limits
}

/** Fastify takes no body that may be of any size. */
function largest(limit: string): number {
  return limit === 'maxMessageBytes' ? Number.MAX_SAFE_INTEGER : Infinity
}
