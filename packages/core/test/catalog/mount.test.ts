import {
  Authorize,
  type CallHook,
  container,
  injectable,
  McpCompletion,
  McpContext,
  McpController,
  McpPrompt,
  McpResource,
  McpTool,
  mount,
  type ServerOptions,
  singleton,
  Type,
  UseHooks,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect } from '@toolwright/testing'
import { pino } from 'pino'

const quiet = { version: '1.0.0', logger: pino({ level: 'silent' }) }

class Stock {
  constructor(readonly article: string) {}
}

const seen: string[] = []

@singleton()
class ShopHook implements CallHook {
  constructor(readonly stock: Stock) {}

  onInvoking({ name }: { readonly name: string }): void {
    seen.push(`shop hook of ${this.stock.article}: ${name}`)
  }
}

const methodHook: CallHook = { onInvoking: ({ name }) => void seen.push(`method: ${name}`) }

@injectable()
@McpController()
class ShopTools {
  constructor(readonly stock: Stock) {}

  @McpTool({ description: 'Buys', input: Type.Object({ units: Type.Integer({ minimum: 1 }) }) })
  @UseHooks(methodHook)
  buy({ units }: { units: number }): string {
    return `${units} x ${this.stock.article}`
  }

  @McpTool({ description: 'Empties the shop' })
  @Authorize({ roles: ['owner'] })
  sellAll(context: McpContext): string {
    return String(context.principal?.subject)
  }

  @McpPrompt({ input: Type.Object({ article: Type.String() }) })
  offer({ article }: { article: string }): string {
    return `An offer for ${article}`
  }

  @McpCompletion({ prompt: 'offer', argument: 'article' })
  articles(): string[] {
    return [this.stock.article]
  }

  @McpResource('shop://stock')
  stockLeft(): string {
    return this.stock.article
  }
}

function shopOf(article: string, options: Partial<ServerOptions> = {}): ServerOptions {
  const own = container.createChildContainer()
  own.registerInstance(Stock, new Stock(article))
  return { name: 'shop', version: '1.0.0', controllers: [ShopTools], container: own, hooks: [ShopHook], ...options }
}

const serve = (...sources: ReturnType<typeof mount>[]) => createServer({ name: 'front', ...quiet, sources })

describe('mounted options', () => {
  beforeEach(() => {
    seen.length = 0
  })

  test('are served with a prefix, their own container and their own hooks', async () => {
    const outer: CallHook = { onInvoking: ({ name }) => void seen.push(`front: ${name}`) }
    const server = await createServer({
      name: 'front',
      ...quiet,
      hooks: [outer],
      sources: [mount(shopOf('tea'), { prefix: 'shop_' })],
    })
    await using connection = await connect(server, { principal: { subject: 'ada', roles: ['owner'] } })
    const { tools } = await connection.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['shop_buy', 'shop_sell_all'])
    const bought = await connection.client.callTool({ name: 'shop_buy', arguments: { units: 2 } })
    expect(bought.content).toEqual([{ type: 'text', text: '2 x tea' }])
    expect(seen).toEqual(['front: shop_buy', 'shop hook of tea: shop_buy', 'method: shop_buy'])
    const invalid = await connection.client.callTool({ name: 'shop_buy', arguments: { units: 0 } })
    expect(invalid.isError).toBe(true)
    const prompt = await connection.client.getPrompt({ name: 'shop_offer', arguments: { article: 'tea' } })
    expect(prompt.messages[0]?.content).toMatchObject({ text: 'An offer for tea' })
    const ref = { type: 'ref/prompt', name: 'shop_offer' } as const
    const { completion } = await connection.client.complete({ ref, argument: { name: 'article', value: '' } })
    expect(completion.values).toEqual(['tea'])
    expect(await connection.client.readResource({ uri: 'shop://stock' })).toMatchObject({ contents: [{ text: 'tea' }] })
    await server.close()
  })

  test('have their own access rules', async () => {
    const server = await serve(mount(shopOf('tea'), { prefix: 'shop_' }))
    await using owner = await connect(server, { principal: { subject: 'ada', roles: ['owner'] } })
    await using user = await connect(server, { principal: { subject: 'ben' } })
    expect((await owner.client.callTool({ name: 'shop_sell_all' })).content).toMatchObject([{ text: 'ada' }])
    await expect(user.client.callTool({ name: 'shop_sell_all' })).rejects.toThrow('Forbidden')
    await server.close()
  })

  test('without rules have the rules of the server', async () => {
    class Open {
      @McpTool({ description: 'Looks' })
      look(): string {
        return 'seen'
      }
    }
    const inner: ServerOptions = { name: 'open', version: '1.0.0', controllers: [Open] }
    const server = await createServer({
      name: 'front',
      ...quiet,
      authorization: { default: 'authenticated' },
      sources: [mount(inner, { prefix: 'open_' })],
    })
    await using anonymous = await connect(server)
    await expect(anonymous.client.callTool({ name: 'open_look' })).rejects.toThrow('Unauthorized')
    await using known = await connect(server, { principal: { subject: 'ada' } })
    expect((await known.client.callTool({ name: 'open_look' })).content).toMatchObject([{ text: 'seen' }])
    await server.close()
  })

  test('can be mounted twice, with two containers', async () => {
    const withoutUri = (article: string): ServerOptions => {
      @injectable()
      class Sales {
        constructor(readonly stock: Stock) {}

        @McpTool({ description: 'Buys' })
        buy(): string {
          return this.stock.article
        }
      }
      return shopOf(article, { controllers: [Sales] })
    }
    const server = await serve(
      mount(withoutUri('tea'), { prefix: 'tea_' }),
      mount(withoutUri('salt'), { prefix: 'salt_' }),
    )
    expect((await server.callTool('tea_buy')).content).toMatchObject([{ text: 'tea' }])
    expect((await server.callTool('salt_buy')).content).toMatchObject([{ text: 'salt' }])
    await server.close()
  })

  test('are closed with the server', async () => {
    const closed: string[] = []
    const server = await serve(mount(shopOf('tea', { onClose: () => void closed.push('shop') }), { prefix: 'shop_' }))
    await server.close()
    expect(closed).toEqual(['shop'])
  })

  test('have a section in the report, also for options that belong to the server', async () => {
    const server = await serve(mount(shopOf('tea', { limits: { maxTasks: 5 } }), { prefix: 'shop_' }))
    const report = String(server.explain())
    expect(report).toMatch(/ShopTools\.buy +tool 'shop_buy'/)
    expect(report).toMatch(/option limits +it belongs to the server that mounts/)
    await server.close()
  })

  test('with names that are taken are a boot problem', async () => {
    const shop = () => mount(shopOf('tea'), { prefix: 'shop_' })
    await expect(serve(shop(), { ...shop(), name: 'again' })).rejects.toThrow(
      /ShopTools\.buy: tool 'shop_buy' is already served by ShopTools\.buy\. Choose another prefix/,
    )
    const uris = serve(mount(shopOf('tea'), { prefix: 'a_' }), mount(shopOf('salt'), { prefix: 'b_' }))
    await expect(uris).rejects.toThrow(/resource 'shop:\/\/stock' is already served/)
  })

  test('that mount themselves are a boot problem', async () => {
    const options: ServerOptions & { sources: ReturnType<typeof mount>[] } = { ...shopOf('tea'), sources: [] }
    options.sources.push(mount(options, { prefix: 'self_' }))
    await expect(createServer({ ...options, ...quiet })).rejects.toThrow('Give sources to the server that mounts')
  })

  test('with mistakes are reported together with all others', async () => {
    const broken = { name: 'x', version: '1', controllers: [ShopTools, 5] } as unknown as ServerOptions
    const failed = await serve(mount(broken, { prefix: 'shop_' })).catch((error: unknown) => error)
    expect(String(failed)).toContain('5 is not a class')
    expect(String(failed)).toContain('Stock')
    expect(() => mount(shopOf('tea'), {} as never)).toThrow(/the prefix is missing/)
  })
})
