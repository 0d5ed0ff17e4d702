import { checkShape, Type } from '@toolwright/schema'

const withZone = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const describeDate = checkShape(Type.String({ format: 'date' }))

/**
 * Whether the string is an ISO 8601 date-time with seconds and a zone. Clients reject the whole list or result if a date has no
 * time, or a time has no seconds (`09:00Z`).
 */
export function isDateTime(text: string): boolean {
  const day = withZone.exec(text)?.[1]
  return day !== undefined && describeDate(day, 'the date') === null
}
