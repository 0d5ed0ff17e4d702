import { ServerError, ToolCallError, UnknownToolError } from '@toolwright/client'
import { type ConnectedShop, connectShop, lanes } from './support/lanes.js'
import type { ShopTools, TillTools } from './support/shop-tools.js'

describe.each(lanes)('a client over $lane, $era', ({ lane, era }) => {
  let shop: ConnectedShop

  beforeAll(async () => {
    shop = await connectShop(lane, {
      era,
      onElicit: async ({ message }) => {
        const content: Record<string, string | boolean> = message === 'Sure?' ? { sure: true } : { name: 'Ann' }
        return { action: 'accept', content }
      },
      onSample: async () => ({ model: 'test', role: 'assistant', content: { type: 'text', text: 'Tea.' } }),
    })
  })

  afterAll(() => shop[Symbol.asyncDispose]())

  const tools = () => shop.client.tools<ShopTools>()

  test('returns the information, instructions and era of the server', () => {
    const { serverInfo, instructions, era: spoken } = shop.client
    expect({ serverInfo, instructions, spoken }).toMatchObject({
      serverInfo: { name: 'shop', version: '1.0.0' },
      instructions: 'Sells tea.',
      spoken: era,
    })
  })

  test('returns the result of each kind of method', async () => {
    const shopTools = tools()
    const { article, left } = await shopTools.sellArticle({ article: 'tea', units: 2 })
    expect([article, typeof left]).toEqual(['tea', 'number'])
    expect(await shopTools.countArticles()).toBe(2)
    expect(await shopTools.listNames()).toEqual([{ name: 'tea', since: '1970-01-01T00:00:00.000Z' }])
    expect(await shopTools.houseNumber()).toBe('42')
    expect(await shopTools.tidyUp()).toBeUndefined()
    expect(await shopTools.showSign()).toEqual([{ type: 'text', text: 'Open' }])
    expect(await shopTools.showWindow()).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/png' }])
    expect(await shopTools.weigh()).toEqual({ grams: 500 })
    expect(await shopTools.printLabel({ article: 'tea', units: 2 })).toBe('2 x tea, 2 x tea')
    expect(await shopTools.countUp({ to: 2 })).toBe(2)
  })

  test('finds tools with a prefix and with given names', async () => {
    const till = shop.client.tools<TillTools>({ prefix: 'till_', names: { openTill: 'open_drawer' } })
    expect(await till.openTill()).toBe('opened')
    expect(await till.addUp({ a: 1, b: 2 })).toBe(3)
  })

  test('rejects a name that the server does not list, and suggests another', async () => {
    const error: unknown = await shop.client.call('count_article').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnknownToolError)
    expect((error as Error).message).toBe("The server lists no tool 'count_article'. Did you mean 'count_articles'?")
    expect(error).toMatchObject({ tool: 'count_article', suggestion: 'count_articles', code: 'unknown-tool' })
    await expect(tools().openingHours()).rejects.toThrow(
      /^The server lists no tool 'opening_hours' for the method openingHours\. Its tools are /,
    )
  })

  test('rejects with the content of a tool that failed', async () => {
    const error: ToolCallError = await tools()
      .breakDown()
      .catch((thrown: unknown) => thrown as ToolCallError)
    expect(error).toBeInstanceOf(ToolCallError)
    expect(error).toMatchObject({
      message: 'The till is broken.',
      tool: 'break_down',
      content: [{ type: 'text', text: 'The till is broken.' }],
    })
  })

  test('streams progress, and then returns the result', async () => {
    const call = tools().countUp({ to: 3 })
    const seen: unknown[] = []
    for await (const progress of call.progress) seen.push(progress)
    expect(seen).toEqual([1, 2, 3].map((each) => ({ progress: each, total: 3, message: `at ${each}` })))
    expect(await call).toBe(3)
    expect((await call.result).content).toEqual([{ type: 'text', text: '3' }])
  })

  test('sends the log messages of a call', async () => {
    await using logs = await shop.client.logs({ level: 'warning' })
    await tools().sellArticle({ article: 'salt' })
    expect((await logs.next()).value).toMatchObject({ level: 'warning', logger: 'shop', data: { article: 'salt' } })
  })

  test('reports changed resources', async () => {
    await using updates = await shop.client.updates('shop://stock/tea')
    await tools().sellArticle({ article: 'tea' })
    expect((await updates.next()).value).toBe('shop://stock/tea')
  })

  test('answers elicitation and sampling', async () => {
    expect(await tools().greet()).toBe('Hello, Ann!')
    expect(await tools().advise()).toBe('Tea.')
  })

  test('awaits tasks like calls', async () => {
    const states: string[] = []
    const onTask = ({ status }: { status: string }): void => void states.push(status)
    expect(await tools().takeStock({ to: 7 }, { onTask })).toEqual({ counted: 7 })
    await expect(tools().takeStock({ to: 101 })).rejects.toThrow('That is too much.')
    expect(await tools().closeShop()).toBe('Closed.')
    // Older revisions have no such tasks.
    expect(states.at(-1)).toBe(era === 'modern' ? 'completed' : undefined)
  })

  test('gets prompts, resources and lists', async () => {
    const { client } = shop
    expect((await client.getPrompt('praise', { article: 'tea' })).messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'Praise tea.' } },
    ])
    expect((await client.readResource('shop://articles')).contents).toMatchObject([{ text: 'tea\nsalt' }])
    expect((await client.allTools()).map(({ name }) => name)).toContain('till_open_drawer')
    expect((await client.allPrompts()).map(({ name }) => name)).toEqual(['praise'])
    expect((await client.allResources()).map(({ uri }) => uri)).toEqual(['shop://articles'])
    expect((await client.allResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'shop://stock/{article}',
    ])
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    await client.ping()
  })

  test('rejects unknown resources with the code of the server', async () => {
    const error: unknown = await shop.client.readResource('shop://nothing').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServerError)
    expect((error as ServerError).code).toBe(-32602)
  })

  test('cancels a call by its signal, and rejects with the reason', async () => {
    const abort = new AbortController()
    const call = tools().waitForever(undefined, { signal: abort.signal })
    const reason = new Error('The user left.')
    setImmediate(() => abort.abort(reason))
    await expect(call).rejects.toBe(reason)
  })

  test('cancels a call that takes too long', async () => {
    await expect(tools().waitForever({}, { timeoutMs: 20 })).rejects.toMatchObject({
      name: 'RequestTimeoutError',
      code: 'timeout',
      message: "The call of 'wait_forever' did not end within 20 ms. Pass a longer timeoutMs.",
    })
  })

  if (lane !== 'stdio') {
    test('reports changed lists', async () => {
      await using changes = await shop.client.changes()
      shop.server?.catalog.addTool({ name: `extra_${era}`, handler: () => 'extra' })
      expect((await changes.next()).value).toBe('tools')
      expect(await shop.client.call(`extra_${era}`)).toBe('extra')
    })
  }
})
