import { gateway } from '@toolwright/gateway'
// #region date-time
import { createHost, McpTool, type Static, Type } from 'toolwright'

const DateInput = Type.Object({
  date: Type.Optional(Type.String({ format: 'date' })),
})
const ShiftInput = Type.Object({
  date: DateInput.properties.date,
  days: Type.Integer({ default: 0 }),
})
const ZoneInput = Type.Object({
  timezoneName: Type.Optional(
    Type.String({ description: 'Such as Europe/Oslo' }),
  ),
})

export class DateTimeTools {
  @McpTool({
    description: 'Returns date and time in a time zone',
    input: ZoneInput,
  })
  getCurrentDatetime({
    timezoneName = 'UTC',
  }: Static<typeof ZoneInput>): object {
    const now = new Date()
    const time = now.toLocaleString('sv-SE', { timeZone: timezoneName })
    const [year, month, day] = time.slice(0, 10).split('-').map(Number)
    return {
      datetime: time.replace(' ', 'T'),
      timezone: timezoneName,
      year,
      month,
      day,
      ...describe(now),
    }
  }

  @McpTool('get_iso8601_timestamp', {
    description: 'Returns the current time in UTC',
  })
  timestamp(): object {
    return { timestamp: new Date().toISOString() }
  }

  @McpTool({ description: 'Adds days to a date', input: ShiftInput })
  addDays({ date, days }: Static<typeof ShiftInput>): object {
    const original = toDate(date)
    const result = new Date(original.getTime() + days * dayMs)
    return {
      original: format(original),
      result: format(result),
      daysAdded: days,
      ...describe(result),
    }
  }

  @McpTool({
    description: 'Tells whether a date is on a weekend',
    input: DateInput,
  })
  isWeekend({ date }: Static<typeof DateInput>): object {
    const day = toDate(date)
    return {
      date: format(day),
      ...describe(day),
      isWeekend: day.getUTCDay() % 6 === 0,
    }
  }

  @McpTool({ description: 'Returns the ISO week of a date', input: DateInput })
  getWeeknumber({ date }: Static<typeof DateInput>): object {
    const day = toDate(date)
    return { date: format(day), ...describe(day), year: day.getUTCFullYear() }
  }
}
// #endregion

const dayMs = 86_400_000

function toDate(date: string | undefined): Date {
  return date === undefined ? new Date() : new Date(`${date}T00:00:00Z`)
}

function format(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function describe(date: Date): {
  readonly dayOfWeek: string
  readonly weekNumber: number
} {
  const dayOfWeek = date.toLocaleDateString('en', {
    weekday: 'long',
    timeZone: 'UTC',
  })
  // The week of a date is that of its Thursday.
  const thursday = new Date(
    date.getTime() + (4 - (date.getUTCDay() || 7)) * dayMs,
  )
  const weekNumber = Math.ceil(
    (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) /
      dayMs /
      7 +
      1 / 14,
  )
  return { dayOfWeek, weekNumber }
}

export const createDateTime = async () =>
  createHost(await gateway({ controllers: [DateTimeTools] }))
