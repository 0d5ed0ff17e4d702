import {
  AllowAnonymous,
  Authorize,
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { Rooms } from '../rooms.js'

const DateOnly = Type.String({
  format: 'date',
  description: 'Such as 2030-01-31',
})
const RoomName = Type.Enum(['Lovelace', 'Hopper', 'Turing'])

const SearchInput = Type.Object({
  date: DateOnly,
  seats: Type.Optional(Type.Integer({ minimum: 1 })),
})
const RoomList = Type.Object({
  rooms: Type.Array(
    Type.Object({ name: Type.String(), seats: Type.Integer() }),
  ),
})
const BookingInput = Type.Object({ room: RoomName, date: DateOnly })

@injectable()
@Authorize({ roles: ['staff', 'manager'] })
export class RoomTools {
  constructor(private readonly rooms: Rooms) {}

  @McpTool({
    description:
      'Finds the rooms that are free on a date, with at least this number of seats',
    input: SearchInput,
    output: RoomList,
    annotations: { readOnlyHint: true },
  })
  @AllowAnonymous()
  findRooms({
    date,
    seats,
  }: Static<typeof SearchInput>): Static<typeof RoomList> {
    return { rooms: this.rooms.free(date, seats).map((room) => ({ ...room })) }
  }

  @McpTool({
    description: 'Books a room for a whole day',
    input: BookingInput,
    annotations: { destructiveHint: false },
  })
  bookRoom(
    { room, date }: Static<typeof BookingInput>,
    { principal }: McpContext,
  ): string {
    if (this.rooms.book(room, date, principal?.subject ?? ''))
      return `Booked ${room} on ${date}.`
    const free = this.rooms.free(date).map(({ name }) => name)
    throw new ToolError(
      `${room} is taken on ${date}. Free rooms: ${free.join(', ') || 'none'}.`,
    )
  }

  @McpTool({
    description: 'Cancels the booking of a room',
    input: BookingInput,
    annotations: { destructiveHint: true },
  })
  @Authorize({ roles: ['manager'] })
  cancelBooking({ room, date }: Static<typeof BookingInput>): string {
    if (!this.rooms.cancel(room, date))
      throw new ToolError(`${room} is not booked on ${date}.`)
    return `${room} is free on ${date}.`
  }
}
