import { McpTool, paginate, type Static, Type } from 'toolwright'

interface Order {
  readonly id: number
  readonly article: string
}

const orders: readonly Order[] = Array.from({ length: 120 }, (_, id) => ({
  id,
  article: id % 2 === 0 ? 'tea' : 'salt',
}))

const SearchInput = Type.Object({
  article: Type.String(),
  cursor: Type.Optional(
    Type.String({ description: 'The nextCursor of the previous page' }),
  ),
})

const OrderPage = Type.Object({
  items: Type.Array(
    Type.Object({ id: Type.Integer(), article: Type.String() }),
  ),
  nextCursor: Type.Optional(Type.String()),
})

export class OrderTools {
  @McpTool({
    description: 'Finds orders of an article, 50 at a time',
    input: SearchInput,
    output: OrderPage,
  })
  findOrders({
    article,
    cursor,
  }: Static<typeof SearchInput>): Static<typeof OrderPage> {
    const found = orders.filter((order) => order.article === article)
    return paginate(found, {
      cursor,
      pageSize: 50,
      key: ({ id }) => id,
      list: article,
    })
  }
}
