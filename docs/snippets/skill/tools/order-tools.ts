import { injectable, McpTool, type Static, ToolError, Type } from 'toolwright'
import { Orders } from '../orders.js'

const OrderInput = Type.Object({
  id: Type.String({
    description: 'Number of the order, such as A-1',
    pattern: '^[A-Z]-\\d+$',
  }),
})
const OrderOutput = Type.Object({ id: Type.String(), status: Type.String() })

@injectable()
export class OrderTools {
  constructor(private readonly orders: Orders) {}

  @McpTool({
    description: 'Returns the status of an order',
    input: OrderInput,
    output: OrderOutput,
    annotations: { readOnlyHint: true },
  })
  findOrder({ id }: Static<typeof OrderInput>): Static<typeof OrderOutput> {
    const order = this.orders.find(id)
    if (order === undefined)
      throw new ToolError(
        `There is no order '${id}'. Ask for the number on the receipt.`,
      )
    return order
  }
}
