import { Format } from './typebox.js'

const dateTime = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether it is ISO 8601 with seconds and a zone: clients refuse a whole list or result for a date alone, or for `09:00Z`. */
export function isDateTime(text: string): boolean {
  const day = dateTime.exec(text)?.[1]
  return day !== undefined && Format.Test('date', day)
}
