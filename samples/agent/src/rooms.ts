import { singleton } from 'toolwright'

export interface Room {
  readonly name: string
  readonly seats: number
}

/** The meeting rooms. Bookings are stored in memory only. */
@singleton()
export class Rooms {
  readonly #rooms: readonly Room[] = [
    { name: 'Lovelace', seats: 4 },
    { name: 'Hopper', seats: 8 },
    { name: 'Turing', seats: 12 },
  ]
  /** Bookings by room and date. */
  readonly #bookings = new Map<string, string>()

  free(date: string, seats = 0): readonly Room[] {
    return this.#rooms.filter(
      (room) =>
        room.seats >= seats && !this.#bookings.has(keyOf(room.name, date)),
    )
  }

  /** @returns Whether the room was free. */
  book(room: string, date: string, subject: string): boolean {
    if (this.#bookings.has(keyOf(room, date))) return false
    this.#bookings.set(keyOf(room, date), subject)
    return true
  }

  /** @returns Whether there was a booking. */
  cancel(room: string, date: string): boolean {
    return this.#bookings.delete(keyOf(room, date))
  }
}

function keyOf(room: string, date: string): string {
  return `${room} ${date}`
}
