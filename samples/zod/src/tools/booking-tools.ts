import {
  inject,
  injectable,
  McpPrompt,
  McpResource,
  McpTool,
  ToolError,
} from 'toolwright'
import type { z } from 'zod'
import { Bookings } from '../bookings.js'
import {
  BookInput,
  BookingOutput,
  BookingsOutput,
  DayInput,
} from '../schemas.js'

@injectable()
export class BookingTools {
  constructor(@inject(Bookings) private readonly bookings: Bookings) {}

  @McpTool({
    description: 'Books a meeting room for a day',
    input: BookInput,
    output: BookingOutput,
  })
  async bookRoom({
    room,
    day,
    seats,
  }: z.output<typeof BookInput>): Promise<z.input<typeof BookingOutput>> {
    if (await this.bookings.isFree(room, day)) {
      return this.bookings.add(room, day, seats)
    }
    throw new ToolError(`${room} is taken on this day. Choose another room.`)
  }

  @McpTool({
    description: 'Lists the bookings of a day',
    input: DayInput,
    output: BookingsOutput,
    annotations: { readOnlyHint: true },
  })
  listBookings({
    day,
  }: z.output<typeof DayInput>): z.input<typeof BookingsOutput> {
    return { bookings: [...this.bookings.on(day)] }
  }

  @McpResource('bookings://{day}', { input: DayInput })
  bookingsOf({ day }: z.output<typeof DayInput>): object {
    return BookingsOutput.parse({ bookings: this.bookings.on(day) })
  }

  @McpPrompt({ description: 'Plans a meeting', input: DayInput })
  planMeeting({ day }: z.output<typeof DayInput>): string {
    return `Find a room for ${day.toUTCString().slice(0, 16)}, and book it.`
  }
}
