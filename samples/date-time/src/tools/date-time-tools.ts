import { Temporal } from 'temporal-polyfill'
import { injectable, McpTool, type Static, ToolError, Type } from 'toolwright'
import { Clock } from '../clock.js'
import { inTimeZone } from '../time-zones.js'

const DateTime = Type.String({
  format: 'date-time',
  description: 'Such as 2030-01-31T12:00:00Z',
})
const TimeZone = Type.String({
  maxLength: 64,
  default: 'UTC',
  description: 'IANA name of a time zone, such as Europe/Lisbon',
})
const Amount = Type.Optional(
  Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
)

const NowInput = Type.Object({ timeZone: TimeZone })

const AddInput = Type.Object(
  {
    dateTime: DateTime,
    timeZone: TimeZone,
    years: Amount,
    months: Amount,
    weeks: Amount,
    days: Amount,
    hours: Amount,
    minutes: Amount,
    seconds: Amount,
  },
  { additionalProperties: false },
)

const DifferenceInput = Type.Object({
  from: DateTime,
  to: DateTime,
  timeZone: TimeZone,
})

const FormatInput = Type.Object({
  dateTime: DateTime,
  timeZone: TimeZone,
  locale: Type.String({
    maxLength: 35,
    default: 'en',
    description: 'Language tag, such as pt-PT',
  }),
  style: Type.Enum(['short', 'medium', 'long', 'full'], { default: 'long' }),
})

const LocalTime = Type.Object({
  dateTime: Type.String({ format: 'date-time' }),
  timeZone: Type.String(),
  weekday: Type.String(),
})

const Difference = Type.Object({
  years: Type.Integer(),
  months: Type.Integer(),
  days: Type.Integer(),
  hours: Type.Integer(),
  minutes: Type.Integer(),
  seconds: Type.Number(),
  totalSeconds: Type.Number({ description: 'The whole difference in seconds' }),
})

/**
 * Annotations for clients: these tools change nothing, and their results depend
 * only on the arguments and the clock.
 */
const pure = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

@injectable()
export class DateTimeTools {
  constructor(private readonly clock: Clock) {}

  @McpTool({
    title: 'Current time',
    description: 'Returns the current time in a time zone',
    input: NowInput,
    output: LocalTime,
    annotations: pure,
  })
  getTime({ timeZone }: Static<typeof NowInput>): Static<typeof LocalTime> {
    return describe(inTimeZone(this.clock.now().toISOString(), timeZone))
  }

  @McpTool({
    title: 'Add time',
    description:
      'Adds amounts of time to a date, or subtracts negative ones. Days keep the local time when clocks change, ' +
      'and months end with their last day',
    input: AddInput,
    output: LocalTime,
    annotations: pure,
  })
  addTime({
    dateTime,
    timeZone,
    ...amounts
  }: Static<typeof AddInput>): Static<typeof LocalTime> {
    if (Object.keys(amounts).length === 0)
      throw new ToolError(
        'There is nothing to add. Give an amount, such as 3 days.',
      )
    return describe(add(inTimeZone(dateTime, timeZone), amounts))
  }

  @McpTool({
    title: 'Difference',
    description:
      'Returns the time from one date to another; negative if the second date is earlier',
    input: DifferenceInput,
    output: Difference,
    annotations: pure,
  })
  getDifference({
    from,
    to,
    timeZone,
  }: Static<typeof DifferenceInput>): Static<typeof Difference> {
    const [start, end] = [inTimeZone(from, timeZone), inTimeZone(to, timeZone)]
    const { years, months, days, hours, minutes, seconds, milliseconds } =
      start.until(end, { largestUnit: 'year' })
    return {
      years,
      months,
      days,
      hours,
      minutes,
      seconds: (seconds * 1000 + milliseconds) / 1000,
      totalSeconds: (end.epochMilliseconds - start.epochMilliseconds) / 1000,
    }
  }

  @McpTool({
    title: 'Format',
    description: 'Writes a date and time for people, in their language',
    input: FormatInput,
    annotations: pure,
  })
  formatTime({
    dateTime,
    timeZone,
    locale,
    style,
  }: Static<typeof FormatInput>): string {
    const local = inTimeZone(dateTime, timeZone)
    try {
      return local.toLocaleString(locale, {
        dateStyle: style,
        timeStyle: style,
      })
    } catch {
      throw new ToolError(
        `Unknown locale '${locale}'. Use a language tag, such as en or pt-PT.`,
      )
    }
  }
}

function add(
  start: Temporal.ZonedDateTime,
  amounts: Temporal.DurationLike,
): Temporal.ZonedDateTime {
  try {
    return start.add(amounts)
  } catch {
    throw new ToolError(
      'Give amounts that are all positive or all negative, and that stay within the years 1 to 9999.',
    )
  }
}

function describe(local: Temporal.ZonedDateTime): Static<typeof LocalTime> {
  // RFC 3339 has four digits for the year.
  if (local.year < 1 || local.year > 9999)
    throw new ToolError(`The year ${local.year} is not within 1 to 9999.`)
  return {
    dateTime: local.toString({ timeZoneName: 'never' }),
    timeZone: local.timeZoneId,
    weekday: local.toLocaleString('en', { weekday: 'long' }),
  }
}
