import { Format } from './typebox.js'

const dateTime = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Whether the string is an ISO 8601 date-time with seconds and a zone. Clients reject a whole list or result for a date
 * without time, or for `09:00Z`.
 */
export function isDateTime(text: string): boolean {
  const day = dateTime.exec(text)?.[1]
  return day !== undefined && Format.Test('date', day)
}
