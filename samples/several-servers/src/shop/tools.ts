import { Authorize, McpTool, Type } from 'toolwright'

const Order = Type.Object({
  article: Type.String(),
  units: Type.Integer({ minimum: 1 }),
})

export class ShopTools {
  @McpTool({ description: 'Orders an article', input: Order })
  order({ article, units }: { article: string; units: number }): string {
    return `Ordered ${units} x ${article}`
  }

  @McpTool({ description: 'Closes the shop' })
  @Authorize({ roles: ['owner'] })
  close(): string {
    return 'The shop is closed'
  }
}
