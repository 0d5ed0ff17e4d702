import { Temporal } from 'temporal-polyfill'
import { ToolError } from 'toolwright'

/** `Intl.supportedValuesOf` does not list UTC. */
const timeZones: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone'),
]

/**
 * Finds time zones by a part of their names, such as `lisbon` or `new york`.
 */
export function findTimeZones(text: string): readonly string[] {
  const part = text.trim().replaceAll(' ', '_').toLowerCase()
  return timeZones.filter((name) => name.toLowerCase().includes(part))
}

/** @throws ToolError that names similar time zones. */
export function inTimeZone(
  dateTime: string,
  timeZone: string,
): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.from(dateTime)
  try {
    return instant.toZonedDateTimeISO(timeZone)
  } catch {
    const similar = findTimeZones(timeZone).slice(0, 3)
    const hint =
      similar.length > 0
        ? `Did you mean ${similar.join(' or ')}?`
        : 'Use an IANA name, such as Europe/Lisbon.'
    throw new ToolError(`Unknown time zone '${timeZone}'. ${hint}`)
  }
}
