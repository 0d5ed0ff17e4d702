// The server of the tests: each way to write a tool, and one feature of every other kind.
import {
  image,
  McpContext,
  McpController,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  Model,
  type ProgressUpdate,
  result,
  type Static,
  ToolError,
  Type,
  text,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'

export const SaleInput = Type.Object({ article: Type.String(), units: Type.Optional(Type.Integer({ minimum: 1 })) })
const Left = Type.Object({ article: Type.String(), left: Type.Integer() })
const CountInput = Type.Object({ to: Type.Integer({ minimum: 1 }) })

/** A model with additional members, which are no arguments. */
export class Sale extends Model(Type.Object({ article: Type.String(), units: Type.Integer() })) {
  get label(): string {
    return `${this.units} x ${this.article}`
  }

  twice(): string {
    return `${this.label}, ${this.label}`
  }
}

/** A service: a class with methods is injected, also as the first parameter. */
export class Stock {
  readonly articles = new Map([
    ['tea', 12],
    ['salt', 5],
  ])

  take(article: string, units: number): number {
    const left = (this.articles.get(article) ?? 0) - units
    if (left < 0) throw new ToolError(`There are only ${left + units} of ${article}.`)
    this.articles.set(article, left)
    return left
  }
}

const stock = new Stock()

@McpController()
export class ShopTools {
  @McpTool({ description: 'Sells an article', input: SaleInput, output: Left })
  async sellArticle({ article, units = 1 }: Static<typeof SaleInput>, context: McpContext) {
    const left = stock.take(article, units)
    if (left < 5) context.sendLogMessage('warning', { article, left }, 'shop')
    context.changes.resourceUpdated(`shop://stock/${article}`)
    return { article, left }
  }

  @McpTool({ description: 'Counts the articles' })
  countArticles(_context: McpContext): number {
    return stock.articles.size
  }

  @McpTool({ description: 'Lists names' })
  async listNames(): Promise<readonly { name: string; since: Date }[]> {
    return [{ name: 'tea', since: new Date(0) }]
  }

  /** A string that is also JSON. */
  @McpTool({ description: 'Returns a number as text' })
  houseNumber(): string {
    return '42'
  }

  @McpTool({ description: 'Returns nothing' })
  tidyUp(): void {}

  @McpTool({ description: 'Returns content' })
  showWindow() {
    return [text('The window'), image(Buffer.from('png'), 'image/png')]
  }

  @McpTool({ description: 'Returns one block of text as content' })
  showSign() {
    return [text('Open')]
  }

  @McpTool({ description: 'Returns a complete result' })
  weigh() {
    return result({ content: [text('about a pound')], structuredContent: { grams: 500 } })
  }

  @McpTool({ description: 'Has the arguments of a model', input: Sale })
  printLabel(sale: Sale): string {
    return sale.twice()
  }

  @McpTool({ description: 'Counts', input: CountInput })
  async *countUp({ to }: Static<typeof CountInput>): AsyncGenerator<ProgressUpdate, number> {
    for (let progress = 1; progress <= to; progress++) yield { progress, total: to, message: `at ${progress}` }
    return to
  }

  @McpTool({ description: 'Fails' })
  breakDown(): never {
    throw new ToolError('The till is broken.')
  }

  @McpTool({ description: 'Waits until it is cancelled', timeoutMs: Infinity })
  async waitForever({ signal }: McpContext): Promise<void> {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
  }

  @McpTool({ description: 'Asks for a name' })
  async greet(context: McpContext): Promise<string> {
    const { content } = await context.elicit({ message: 'Your name?', schema: Type.Object({ name: Type.String() }) })
    return content === undefined ? 'Hello!' : `Hello, ${content.name}!`
  }

  @McpTool({ description: 'Asks the model' })
  async advise(context: McpContext): Promise<string> {
    const messages = [{ role: 'user' as const, content: text('Tea or salt?') }]
    return (await context.sample({ messages, maxTokens: 10 })).text
  }

  @McpTool({
    description: 'Runs as a task',
    input: CountInput,
    output: Type.Object({ counted: Type.Integer() }),
    task: 'optional',
  })
  async takeStock({ to }: Static<typeof CountInput>) {
    if (to > 100) throw new ToolError('That is too much.')
    return { counted: to }
  }

  @McpTool({ description: 'Asks inside a task', task: 'optional' })
  async closeShop(context: McpContext): Promise<string> {
    const { content } = await context.elicit({ message: 'Sure?', schema: Type.Object({ sure: Type.Boolean() }) })
    return content?.sure === true ? 'Closed.' : 'Open.'
  }

  /** Not a tool. The types of the client allow a call, which is rejected. */
  openingHours(): string {
    return '9 to 5'
  }

  @McpPrompt({ description: 'Praises an article', input: Type.Object({ article: Type.String() }) })
  praise({ article }: { article: string }): string {
    return `Praise ${article}.`
  }

  @McpResource('shop://stock/{article}', { description: 'Stock of an article' })
  stockOf({ article }: { article: string }): string {
    return String(stock.articles.get(article) ?? 0)
  }

  @McpResource('shop://articles', { description: 'All articles' })
  articles(): string {
    return [...stock.articles.keys()].join('\n')
  }
}

/** Names that clients cannot derive from the methods. */
@McpController({ prefix: 'till_' })
export class TillTools {
  @McpTool('open_drawer', { description: 'Opens the drawer' })
  openTill(): string {
    return 'opened'
  }

  @McpTool({ description: 'Adds', input: Type.Object({ a: Type.Number(), b: Type.Number() }) })
  addUp({ a, b }: { a: number; b: number }): number {
    return a + b
  }
}

export function createShop(options: Partial<ServerOptions> = {}): Promise<McpServer> {
  stock.articles.set('tea', 12)
  stock.articles.set('salt', 5)
  return createServer({
    name: 'shop',
    version: '1.0.0',
    instructions: 'Sells tea.',
    controllers: [ShopTools, TillTools],
    logger: pino({ level: 'silent' }),
    ...options,
  })
}
