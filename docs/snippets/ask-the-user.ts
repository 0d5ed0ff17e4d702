// #region form
import { randomUUID } from 'node:crypto'
import {
  acceptedContent,
  ClientRequestError,
  inputRequired,
  McpContext,
  McpTool,
  MissingCapabilityError,
  type Static,
  Type,
} from 'toolwright'

const Guest = Type.Object({
  name: Type.String({ title: 'Name' }),
  nights: Type.Integer({ title: 'Nights', minimum: 1, default: 1 }),
  bed: Type.Union([
    Type.Literal('one', { title: 'One wide bed' }),
    Type.Literal('two', { title: 'Two beds' }),
  ]),
})

export class RoomTools {
  @McpTool({ description: 'Reserves a room' })
  async reserve(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({
      message: 'Who stays, and in which room?',
      schema: Guest,
    })
    if (action !== 'accept') return 'The guest changed their mind.'
    return `Reserved ${content.nights} nights for ${content.name}.`
  }
}
// #endregion

const Confirmation = Type.Object({ ok: Type.Boolean({ title: 'Book it' }) })
const Receipt = Type.Object({ email: Type.String({ format: 'email' }) })
const Visitor = Type.Object({ name: Type.String() })
const Trip = Type.Object({ city: Type.String() })

interface Payment {
  readonly number: string
}

declare function charge(booking: string, euros: number): Promise<Payment>
declare function readMeter(): Promise<number>

export class TripTools {
  // #region step
  @McpTool({ description: 'Books a trip', input: Trip })
  async bookTrip(
    { city }: Static<typeof Trip>,
    context: McpContext,
  ): Promise<string> {
    const booking = await context.step('number', () => randomUUID())
    const { content } = await context.elicit({
      message: `To ${city} for 200 euros?`,
      schema: Confirmation,
    })
    if (content?.ok !== true) return 'Nothing was booked.'
    const payment = await context.step('charge', () => charge(booking, 200))
    const receipt = await context.elicit({
      message: 'Where does the receipt go?',
      schema: Receipt,
    })
    const email = receipt.content?.email ?? 'nobody'
    return `Payment ${payment.number}, receipt to ${email}.`
  }
  // #endregion

  // #region together
  @McpTool({ description: 'Suggests a trip' })
  async suggestTrip(context: McpContext): Promise<string> {
    const [wish, idea] = await Promise.all([
      context.elicit({ key: 'wish', message: 'Which city?', schema: Trip }),
      context.sample({
        key: 'idea',
        messages: [
          { role: 'user', content: 'Name one city that is nice in spring.' },
        ],
        maxTokens: 20,
      }),
    ])
    return `Go to ${wish.content?.city ?? idea.text}.`
  }
  // #endregion

  // #region page
  @McpTool({ description: 'Connects the account at the bank' })
  async connectBank(context: McpContext): Promise<string> {
    const state = await context.step('state', () => randomUUID())
    const { action } = await context.elicitUrl({
      message: 'Sign in at the bank to go on.',
      url: `https://bank.example.com/connect?state=${state}`,
    })
    return action === 'accept' ? 'Waiting for the bank.' : 'Not connected.'
  }
  // #endregion

  // #region without
  @McpTool({ description: 'Explains the electricity bill' })
  async explainBill(context: McpContext): Promise<string> {
    const used = await readMeter()
    try {
      const messages = [
        { role: 'user', content: `Explain a use of ${used} kWh in a week.` },
      ] as const
      return (await context.sample({ messages, maxTokens: 200 })).text
    } catch (error) {
      if (
        error instanceof MissingCapabilityError ||
        error instanceof ClientRequestError
      )
        return `You used ${used} kWh.`
      throw error
    }
  }
  // #endregion

  // #region by-hand
  @McpTool({ description: 'Asks by hand' })
  greet(context: McpContext): string {
    const who = acceptedContent(context.inputResponses, 'who', Visitor)
    if (who !== undefined) return `Hello, ${who.name}!`
    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string' } },
    }
    return inputRequired({
      inputRequests: {
        who: {
          method: 'elicitation/create',
          params: { message: 'Who are you?', requestedSchema },
        },
      },
      requestState: { asked: 1 },
    })
  }
  // #endregion
}
