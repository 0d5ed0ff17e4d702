import { container, injectable, McpTool, serve } from 'toolwright'

/** Placeholder for a database driver. */
class Database {
  static async open(_url: string): Promise<Database> {
    return new Database()
  }

  async countOrders(): Promise<number> {
    return 3
  }

  async close(): Promise<void> {}
}

@injectable()
class OrderTools {
  constructor(private readonly database: Database) {}

  @McpTool({ description: 'Counts the orders' })
  async countOrders(): Promise<string> {
    return `${await this.database.countOrders()} orders`
  }
}

const database = await Database.open('postgres://localhost/shop')
container.registerInstance(Database, database)

await serve({
  name: 'shop',
  version: '1.0.0',
  controllers: [OrderTools],
  onClose: () => database.close(),
})
