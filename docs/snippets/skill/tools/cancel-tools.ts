import { injectable, McpContext, McpTool, type Static, Type } from 'toolwright'
import { Orders } from '../orders.js'

const CancelInput = Type.Object({
  id: Type.String({ description: 'Number of the order' }),
})
const Answer = Type.Object({ sure: Type.Boolean({ title: 'Cancel it' }) })

@injectable()
export class CancelTools {
  constructor(private readonly orders: Orders) {}

  @McpTool({
    description: 'Cancels an order',
    input: CancelInput,
    annotations: { destructiveHint: true },
  })
  async cancelOrder(
    { id }: Static<typeof CancelInput>,
    context: McpContext,
  ): Promise<string> {
    const { content } = await context.elicit({
      message: `Cancel the order ${id}?`,
      schema: Answer,
    })
    if (content?.sure !== true) return 'Nothing was cancelled.'
    await context.step('cancel', () => this.orders.cancel(id))
    return `The order ${id} is cancelled.`
  }
}
