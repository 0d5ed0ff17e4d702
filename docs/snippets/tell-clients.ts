// #region log
import {
  Changes,
  createHost,
  type Extension,
  injectable,
  McpContext,
  McpResource,
  McpTool,
  type Static,
  Type,
} from 'toolwright'

const stock = new Map([['tea', 12]])

const SaleInput = Type.Object({
  article: Type.String(),
  units: Type.Integer({ minimum: 1 }),
})

export class ShopTools {
  @McpTool({ description: 'Sells an article', input: SaleInput })
  sell(
    { article, units }: Static<typeof SaleInput>,
    context: McpContext,
  ): string {
    const left = (stock.get(article) ?? 0) - units
    if (left < 3) context.sendLogMessage('warning', { article, left }, 'shop')
    return `${left} left`
  }
}
// #endregion

export class Stock {
  // #region stock
  @McpResource('shop://stock/{article}', { description: 'Stock of an article' })
  stockOf({ article }: { article: string }): number | undefined {
    return stock.get(article)
  }

  @McpTool({ description: 'Adds articles to the stock', input: SaleInput })
  takeIn(
    { article, units }: Static<typeof SaleInput>,
    context: McpContext,
  ): void {
    stock.set(article, (stock.get(article) ?? 0) + units)
    context.changes.resourceUpdated(`shop://stock/${article}`)
  }
  // #endregion
}

// #region own
@injectable()
export class PriceWatch {
  constructor(private readonly changes: Changes) {}

  priceChanged(article: string, price: number): void {
    this.changes.notify('notifications/shop/price', { article, price })
  }
}

export class CheckoutTools {
  @McpTool({ description: 'Orders an article' })
  order({ sessionId, changes }: McpContext): string {
    if (sessionId !== null)
      changes.notify(
        'notifications/shop/ordered',
        { position: 7 },
        { sessionId },
      )
    return 'ordered'
  }
}
// #endregion

// #region declared
export const prices: Extension = {
  id: 'com.example/prices',
  notifications: ['notifications/shop/price'],
}
// #endregion

/** A shop whose suppliers report deliveries. */
export async function createDeliveries() {
  const host = await createHost({
    name: 'shop',
    version: '1.0.0',
    controllers: [ShopTools, Stock],
  })
  host.post('/deliveries', () => {
    host.mcp.changes.resourceUpdated('shop://stock/tea')
    return { received: true }
  })
  return host
}
