import { setTimeout } from 'node:timers/promises'
import { McpTool, type Static, Type } from 'toolwright'

const Order = Type.Object({
  order: Type.String({
    pattern: '^[0-9]{1,9}$',
    description: 'Number of the order',
  }),
})

export class OrderTools {
  @McpTool({
    description: 'Returns the location of an order',
    input: Order,
    annotations: { readOnlyHint: true },
    rateLimit: { calls: 60, windowMs: 60_000 },
  })
  trackOrder({ order }: Static<typeof Order>): string {
    return `Order ${order} is on its way.`
  }

  @McpTool({
    description: "Returns the customer's note on an order",
    input: Order,
    annotations: { readOnlyHint: true },
    untrusted: true,
  })
  readNote({ order }: Static<typeof Order>): string {
    return `Note with order ${order}: please ring twice.`
  }

  @McpTool({
    description: 'Writes an invoice, which takes a second',
    input: Order,
    timeoutMs: 10_000,
    maxConcurrent: 4,
  })
  async writeInvoice({ order }: Static<typeof Order>): Promise<string> {
    await setTimeout(1000)
    return `Invoice for order ${order} is written.`
  }
}
