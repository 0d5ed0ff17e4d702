// #region inject
import {
  Catalog,
  createHost,
  createServer,
  injectable,
  McpTool,
  type ServerOptions,
  singleton,
  Type,
} from 'toolwright'

@injectable()
export class SeasonTools {
  constructor(private readonly catalog: Catalog) {}

  @McpTool({ description: 'Begins December, in which stollen is sold' })
  beginDecember(): void {
    this.catalog.addTool({
      name: 'sell_stollen',
      description: 'Sells stollen',
      input: Type.Object({ grams: Type.Integer({ minimum: 100 }) }),
      handler: ({ grams }, context) => {
        context.log.info('a sale')
        return `${grams} g of stollen`
      },
    })
  }

  @McpTool({ description: 'Ends December' })
  endDecember(): boolean {
    return this.catalog.removeTool('sell_stollen')
  }
}
// #endregion

export async function createShop() {
  const host = await createHost({
    name: 'shop',
    version: '1.0.0',
    controllers: [SeasonTools],
  })

  host.mcp.catalog.addTool({
    name: 'thank',
    description: 'Thanks a customer',
    handler: () => 'Thank you!',
  })
  return host
}

async function fetchArticles(): Promise<string[]> {
  return Promise.resolve(['tea', 'coffee'])
}

// #region ready
export const options: ServerOptions = {
  name: 'shop',
  version: '1.0.0',
  controllers: [SeasonTools],
  async onReady({ catalog }) {
    for (const article of await fetchArticles()) {
      catalog.addResource({
        uri: `shop://articles/${article}`,
        name: article,
        handler: () => `About ${article}`,
      })
    }
  },
}
// #endregion

// #region constructor
@singleton()
export class Greetings {
  constructor(catalog: Catalog) {
    catalog.addPrompt({
      name: 'greet',
      input: Type.Object({ name: Type.String() }),
      handler: ({ name }) => `Greet ${name}.`,
    })
    catalog.addCompletion({
      prompt: 'greet',
      argument: 'name',
      handler: ({ value }) =>
        ['Ada', 'Alan'].filter((name) => name.startsWith(value)),
    })
  }
}
// #endregion

@injectable()
export class GreetingTools {
  constructor(readonly greetings: Greetings) {}

  @McpTool({ description: 'Checks whether the server responds' })
  ping(): string {
    return 'pong'
  }
}

export function createGreeter() {
  return createServer({
    name: 'greeter',
    version: '1.0.0',
    controllers: [GreetingTools],
  })
}
