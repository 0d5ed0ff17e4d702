import { z } from 'zod'
import { config } from './config.js'

/** A day as clients send it, `2030-01-31`. Methods get a date. */
export const Day = z.iso
  .date()
  .transform((text) => new Date(text))
  .refine((day) => day.getTime() < latestTime(), 'is too far ahead')
  .describe('Day, such as 2030-01-31')

/** Models write room names in any case, and with spaces around them. */
export const Room = z
  .string()
  .trim()
  .transform((name) => config.ROOMS.find((room) => sameName(room, name)))
  .pipe(z.string(`must be one of ${config.ROOMS.join(', ')}`))
  .describe(`Name of a room: ${config.ROOMS.join(', ')}`)

export const BookInput = z.object({
  room: Room,
  day: Day,
  seats: z.coerce.number().int().min(1).max(12).default(4),
})

/** Methods return dates, and clients get days. */
const SentDay = z
  .date()
  .transform((day) => day.toISOString().slice(0, 10))
  .pipe(z.iso.date())

/** Strips all other members of a booking. */
export const BookingOutput = z.object({
  id: z.string(),
  room: z.string(),
  day: SentDay,
  seats: z.number(),
})

export const DayInput = z.object({ day: Day })
export const BookingsOutput = z.object({ bookings: z.array(BookingOutput) })

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function latestTime(): number {
  return Date.now() + config.MAX_DAYS_AHEAD * 24 * 60 * 60 * 1000
}
