import { singleton } from 'toolwright'

export interface Booking {
  readonly id: string
  readonly room: string
  readonly day: Date
  readonly seats: number
  /** Only for the owner of the rooms. The output schema of the tools does not have this member. */
  readonly note: string
}

const capacity = 1000

@singleton()
export class Bookings {
  readonly #bookings = new Map<string, Booking>()

  /** Waits as long as a database would. */
  async isFree(room: string, day: Date): Promise<boolean> {
    await Promise.resolve()
    return !this.#bookings.has(idOf(room, day))
  }

  add(room: string, day: Date, seats: number): Booking {
    const id = idOf(room, day)
    const booking = { id, room, day, seats, note: 'paid by invoice' }
    this.#bookings.set(id, booking)
    const [oldest] = this.#bookings.keys()
    if (this.#bookings.size > capacity && oldest !== undefined) {
      this.#bookings.delete(oldest)
    }
    return booking
  }

  on(day: Date): readonly Booking[] {
    const time = day.getTime()
    return [...this.#bookings.values()].filter(
      (booking) => booking.day.getTime() === time,
    )
  }
}

function idOf(room: string, day: Date): string {
  return `${room}-${day.toISOString().slice(0, 10)}`
}
