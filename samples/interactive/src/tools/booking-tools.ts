import { randomUUID } from 'node:crypto'
import { injectable, McpContext, McpTool, type Static, Type } from 'toolwright'
import { Bank } from '../bank.js'

const BookingInput = Type.Object({
  nights: Type.Integer({
    minimum: 1,
    maximum: 30,
    description: 'Number of nights',
  }),
})

const PaymentsInput = Type.Object({
  booking: Type.String({ description: 'Number of a booking' }),
})

const Guest = Type.Object({
  name: Type.String({ title: 'Name', minLength: 1 }),
  email: Type.Optional(Type.String({ title: 'E-mail', format: 'email' })),
})

const Breakfast = Type.Object({
  breakfast: Type.Union(
    [
      Type.Literal('none', { title: 'No breakfast' }),
      Type.Literal('buffet', { title: 'Buffet, 15 euros a night' }),
    ],
    { default: 'none' },
  ),
})

const eurosPerNight = 90

/** Asks the user twice, and charges the money once. */
@injectable()
export class BookingTools {
  constructor(private readonly bank: Bank) {}

  @McpTool('book_room', {
    description: 'Books a room after asking the guest',
    input: BookingInput,
  })
  async book(
    { nights }: Static<typeof BookingInput>,
    context: McpContext,
  ): Promise<string> {
    // The booking has the same number in each round.
    const booking = await context.step('number', () => randomUUID())
    const euros = nights * eurosPerNight
    const guest = await context.elicit({
      key: 'guest',
      message: `A room for ${nights} nights costs ${euros} euros. Who books it?`,
      schema: Guest,
    })
    if (guest.action !== 'accept') return 'Nothing was booked.'
    const payment = await context.step('charge', () =>
      this.bank.charge(euros, booking),
    )
    const extras = await context.elicit({
      key: 'extras',
      message: `Thank you, ${guest.content.name}. Breakfast is paid at the hotel. Do you want it?`,
      schema: Breakfast,
    })
    const breakfast = extras.content?.breakfast ?? 'none'
    return `Booking ${booking}: ${guest.content.name}, ${nights} nights, ${payment.euros} euros paid, breakfast: ${breakfast}.`
  }

  @McpTool('payments', {
    description: 'Returns the payments for a booking',
    annotations: { readOnlyHint: true },
    input: PaymentsInput,
  })
  payments({ booking }: Static<typeof PaymentsInput>): string {
    const payments = this.bank.paymentsFor(booking)
    return `${payments.length} payments: ${payments.map(({ euros }) => `${euros} euros`).join(', ')}`
  }
}
