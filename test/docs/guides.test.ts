import { connect } from '@toolwright/testing'
import Fastify, { type FastifyInstance } from 'fastify'
import { container, createHost, createServer, toAnthropicTools } from 'toolwright'
import { RoomTools } from '../../docs/snippets/ask-the-user.js'
import {
  createIntrospection,
  createKeys,
  createOwn,
  createProtected,
} from '../../docs/snippets/authenticate-callers.js'
import { createUsers } from '../../docs/snippets/authorize-callers.js'
import { createNode, createPublicHost } from '../../docs/snippets/behind-a-proxy.js'
import { addRoute, callTools } from '../../docs/snippets/call-in-process.js'
import { createGreeter, createShop, options as shopOptions } from '../../docs/snippets/change-catalog.js'
import { askModel, createModelHost, offerToAiSdk } from '../../docs/snippets/format-for-llms.js'
import { childContainer, Notebook, TransferTools } from '../../docs/snippets/inject-services.js'
import {
  createApplication,
  createGuarded,
  createShared,
  createTwo,
  createWithPrefix,
  createWithUsers,
} from '../../docs/snippets/mount-fastify.js'
import * as providers from '../../docs/snippets/providers.js'
import { controllers } from '../../docs/snippets/reference/decorators.js'
import { ReportTools } from '../../docs/snippets/return-results.js'
import { createRpcHost, createSocketHost } from '../../docs/snippets/serve-over-websocket.js'
import { MorePrompts, ReviewPrompts } from '../../docs/snippets/serve-prompts.js'
import { ForecastTools as PlannedTools, StationTools, saveCosts } from '../../docs/snippets/show-features.js'
import { createDeliveries, ShopTools, Stock } from '../../docs/snippets/tell-clients.js'
import { BookingTools, ForecastTools, StockTools } from '../../docs/snippets/validate-arguments.js'

// Runs the snippets of the guides and checks their descriptions. Responses shown on the pages are in outputs.test.ts.

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

interface ToolNames {
  readonly status: number
  readonly names: readonly string[]
}

/** The tools that are listed at a path. */
async function listTools(app: FastifyInstance, url: string, headers: Record<string, string> = {}): Promise<ToolNames> {
  const response = await app.inject({ method: 'POST', url, payload: list, headers: { host: 'localhost', ...headers } })
  const { result } = response.json<{ result?: { tools: { name: string }[] } }>()
  return { status: response.statusCode, names: result?.tools.map(({ name }) => name) ?? [] }
}

const forecast: ToolNames = { status: 200, names: ['forecast'] }

async function closing<Value>(create: () => Promise<FastifyInstance>, use: (app: FastifyInstance) => Promise<Value>) {
  const app = await create()
  app.log.level = 'silent'
  try {
    return await use(app)
  } finally {
    await app.close()
  }
}

test('callers may use the features of their roles, scopes and teams', async () => {
  const server = await createUsers()
  server.catalog.addTool({ name: 'report', authorize: { roles: ['Manager'] }, handler: () => 'none' })
  const as = async (subject: string, roles: readonly string[], scopes: readonly string[] = []) =>
    connect(server, { principal: { subject, roles, scopes, claims: {} } })
  const deletes = { name: 'delete_user', arguments: { name: 'bob' } }
  {
    await using anonymous = await connect(server)
    expect((await anonymous.client.listTools()).tools.map(({ name }) => name)).toEqual(['get_public_info'])
    await expect(anonymous.client.callTool({ name: 'report' })).rejects.toThrow('Unauthorized')
  }
  {
    await using manager = await as('mia', ['Manager'])
    const { tools } = await manager.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['get_public_info', 'get_user_list', 'report'])
    await expect(manager.client.callTool(deletes)).rejects.toThrow('Forbidden: you are not allowed to use this')
    await expect(manager.client.readResource({ uri: 'projects://shop/plan' })).rejects.toThrow('Forbidden')
  }
  {
    await using admin = await as('alice', ['admin'])
    await expect(admin.client.callTool(deletes)).rejects.toThrow('Forbidden: requires the scope users:write')
    const { contents } = await admin.client.readResource({ uri: 'projects://shop/plan' })
    expect(contents).toMatchObject([{ text: 'The plan of shop' }])
  }
  {
    await using wider = await as('alice', ['Admin'], ['users:admin'])
    expect((await wider.client.callTool(deletes)).content).toEqual([{ type: 'text', text: 'bob is gone' }])
  }
  await server.close()
})

test('the plugin serves beside the routes of the application', async () => {
  await closing(createApplication, async (app) => {
    expect(await listTools(app, '/mcp')).toEqual(forecast)
    expect((await app.inject('/')).json()).toEqual({ tools: 1 })
  })
})

test('a prefix goes before the path', async () => {
  await closing(createWithPrefix, async (app) => {
    expect(await listTools(app, '/api/weather')).toEqual(forecast)
  })
})

test('hooks of the scope run for the endpoint', async () => {
  process.env['API_KEY'] = 'secret'
  await closing(createGuarded, async (app) => {
    expect(await listTools(app, '/mcp', { 'x-api-key': 'secret' })).toEqual(forecast)
    expect((await app.inject({ method: 'POST', url: '/mcp', payload: list })).statusCode).toBe(401)
  })
})

test('a hook of the application authenticates', async () => {
  await closing(createWithUsers, async (app) => {
    expect((await listTools(app, '/mcp')).names).toEqual(['get_public_info'])
    expect((await listTools(app, '/mcp', { 'x-session': 'of-ann' })).names).toContain('get_user_list')
  })
})

test('two servers are mounted in two scopes', async () => {
  await closing(createTwo, async (app) => {
    expect(await listTools(app, '/weather/mcp')).toEqual(forecast)
    expect(await listTools(app, '/notes/mcp')).toEqual({ status: 200, names: ['add_note'] })
  })
})

test('an existing server is mounted', async () => {
  await closing(createShared, async (app) => {
    expect(await listTools(app, '/mcp')).toEqual(forecast)
  })
})

test('a public host accepts the configured host names and origins', async () => {
  await closing(createPublicHost, async (app) => {
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await app.inject({ method: 'POST', url: '/mcp', payload: list, headers })).statusCode
    expect(await ask({ host: 'mcp.example.com' })).toBe(200)
    expect(await ask({ host: '127.0.0.1:3000' })).toBe(200)
    expect(await ask({ host: 'localhost' })).toBe(403)
    expect(await ask({ host: 'mcp.example.com', origin: 'https://app.example.com' })).toBe(200)
    expect(await ask({ host: 'mcp.example.com', origin: 'https://elsewhere.example.com' })).toBe(403)
  })
})

describe('the client address behind a proxy that appends to X-Forwarded-For', () => {
  const headers = { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' }

  /** @param remoteAddress The address of the connection. */
  async function addressOf(app: FastifyInstance, remoteAddress: string): Promise<string> {
    app.get('/address', ({ ip }) => ip)
    return (await app.inject({ url: '/address', headers, remoteAddress })).body
  }

  test('is the address that the proxy wrote, if the proxy is trusted', async () => {
    await closing(createPublicHost, async (app) => {
      expect(await addressOf(app, '10.1.2.3')).toBe('198.51.100.7')
    })
  })

  test('is the address of the connection, if the sender is not a trusted proxy', async () => {
    await closing(createPublicHost, async (app) => {
      expect(await addressOf(app, '192.0.2.9')).toBe('192.0.2.9')
    })
  })

  test('is the address that the client wrote, if every sender is trusted', async () => {
    const app: FastifyInstance = Fastify({ trustProxy: true })
    expect(await addressOf(app, '10.1.2.3')).toBe('203.0.113.1')
  })
})

test('a protected host requires a token, and announces its issuer', async () => {
  await closing(createProtected, async (app) => {
    const { statusCode, headers } = await app.inject({
      method: 'POST',
      url: '/mcp',
      payload: list,
      headers: { host: 'localhost' },
    })
    const url = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
    expect([statusCode, headers['www-authenticate']]).toEqual([401, `Bearer resource_metadata="${url}"`])
    expect((await app.inject('/.well-known/oauth-protected-resource/mcp')).json()).toMatchObject({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://login.example.com/realms/main'],
    })
  })
})

test('the other authenticators boot with the options of the guide', async () => {
  process.env['BUILD_KEY'] = 'build-0123456789abcdef'
  process.env['INTROSPECTION_SECRET'] = 'secret'
  const made = [...Object.values(providers).filter((one) => 'authenticate' in one), createIntrospection()]
  expect(made.map(({ metadata }) => metadata?.resource)).toEqual(made.map(() => 'https://mcp.example.com/mcp'))
  const request = { method: 'POST', url: '/mcp', headers: { 'x-api-key': 'build-0123456789abcdef', 'x-ticket': 'one' } }
  expect(await createKeys().authenticate(request)).toMatchObject({ subject: 'build', scopes: ['tools:read'] })
  const accounts = { find: async (ticket: string) => (ticket === 'one' ? { id: 'ann', groups: ['Staff'] } : null) }
  expect(await createOwn(accounts).authenticate(request)).toMatchObject({ subject: 'ann', roles: ['Staff'] })
  const other = { ...request, headers: { 'x-ticket': 'two' } }
  await expect(createOwn(accounts).authenticate(other)).rejects.toThrow('the ticket is not valid')
})

test('without sessions, initialize opens no session', async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const payload = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  await closing(createNode, async (app) => {
    const response = await app.inject({ method: 'POST', url: '/mcp', payload, headers: { host: 'localhost' } })
    expect(response.statusCode).toBe(200)
    expect(response.headers).not.toHaveProperty('mcp-session-id')
  })
})

test('tools are added and removed at run time, by a controller and from outside', async () => {
  await closing(createShop, async (app) => {
    const names = ['begin_december', 'end_december', 'thank']
    expect(await listTools(app, '/mcp')).toEqual({ status: 200, names })
    await app.mcp.callTool('begin_december')
    expect(await app.mcp.callTool('sell_stollen', { grams: 500 })).toMatchObject({
      content: [{ text: '500 g of stollen' }],
    })
    await app.mcp.callTool('end_december')
    expect(await listTools(app, '/mcp')).toEqual({ status: 200, names })
  })
})

test('features are added before the server serves, by onReady and by a constructor', async () => {
  const [shop, greeter] = [await createServer(shopOptions), await createGreeter()]
  const uri = 'shop://articles/tea'
  expect(await shop.readResource(uri)).toMatchObject({ contents: [{ uri, text: 'About tea' }] })
  expect(await greeter.getPrompt('greet', { name: 'Ada' })).toMatchObject({
    messages: [{ content: { text: 'Greet Ada.' } }],
  })
  const argument = { name: 'name', value: 'Al' }
  expect(await greeter.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument })).toMatchObject({
    values: ['Alan'],
  })
  await Promise.all([shop.close(), greeter.close()])
})

test('subscribed clients are notified of a changed resource', async () => {
  await using connection = await connect({ name: 'test', version: '1', controllers: [Stock] }, { era: 'legacy' })
  const { client } = connection
  const told: unknown[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  await client.subscribeResource({ uri: 'shop://stock/milk' })
  await client.callTool({ name: 'take_in', arguments: { article: 'milk', units: 6 } })
  await client.callTool({ name: 'take_in', arguments: { article: 'bread', units: 6 } })
  const { contents } = await client.readResource({ uri: 'shop://stock/milk' })
  expect(told).toEqual(['shop://stock/milk'])
  expect(contents).toEqual([{ uri: 'shop://stock/milk', mimeType: 'application/json', text: '6' }])
})

test('a route of the application notifies clients of a change', async () => {
  await closing(createDeliveries, async (app) => {
    await using connection = await connect(app.mcp, { era: 'legacy' })
    const { client } = connection
    const told: unknown[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    await client.subscribeResource({ uri: 'shop://stock/tea' })
    expect((await app.inject({ method: 'POST', url: '/deliveries' })).json()).toEqual({ received: true })
    await client.ping()
    expect(told).toEqual(['shop://stock/tea'])
  })
})

test.each(['legacy', 'modern'] as const)(
  'the room is reserved with the answers of the user, in the %s era',
  async (era) => {
    const options = { name: 'test', version: '1', controllers: [RoomTools] }
    await using connection = await connect(options, { era, client: { capabilities: { elicitation: { form: {} } } } })
    const { client } = connection
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { name: 'Ada', nights: 2, bed: 'one' },
    }))
    const { content } = await client.callTool({ name: 'reserve' })
    expect(content).toEqual([{ type: 'text', text: 'Reserved 2 nights for Ada.' }])
  },
)

test('a child container replaces its registrations', async () => {
  const options = childContainer()
  await using connection = await connect(options)
  await connection.client.callTool({ name: 'add_note', arguments: { text: 'milk' } })
  expect(options.container.resolve(Notebook).notes).toEqual(['milk'])
  expect(container.resolve(Notebook).notes).toEqual([])
})

test('a call-scoped instance is disposed after the call', async () => {
  const lines: string[] = []
  const app = await createWithLog(lines)
  const params = { name: 'transfer', arguments: { amount: 5 } }
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  await app.inject({ method: 'POST', url: '/mcp', payload, headers: { host: 'localhost' } })
  await app.close()
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ msg: 'audit', lines: ['transfer of 5'], method: 'tools/call' }),
  )
})

test('the classes of the reference list their tools', async () => {
  await using connection = await connect({ name: 'test', version: '1.0.0', controllers })
  const { tools } = await connection.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['first', 'second'])
})

async function createWithLog(lines: string[]): Promise<FastifyInstance> {
  const stream = { write: (line: string) => void lines.push(line) }
  return createHost({
    name: 'transfers',
    version: '1.0.0',
    controllers: [TransferTools],
    fastify: { logger: { level: 'info', stream } },
  })
}

const sunny = [{ type: 'text', text: 'Lisbon, the next 3 days: sun' }]

test('a server is called from its own process, with the checks of a client', async () => {
  expect(await callTools()).toEqual([sunny, true])
})

test('a route calls a tool', async () => {
  await closing(createSocketHost, async (app) => {
    await addRoute(app)
    expect((await app.inject('/forecast/Lisbon')).json()).toEqual({ content: sunny })
  })
})

test('the tools are passed to a model, and its calls are run', async () => {
  const asked: object[] = []
  await closing(createModelHost, async (app) => {
    const answers = await askModel(app, async (request) => {
      asked.push(request)
      return Promise.resolve([{ function: { name: 'forecast', arguments: '{"city":"Lisbon"}' } }])
    })
    expect(answers).toEqual([JSON.stringify(sunny)])
    expect(asked).toMatchObject([{ tools: [{ type: 'function', function: { name: 'forecast' } }] }])
    expect(await offerToAiSdk(app, (schema) => ({ schema }))).toMatchObject({
      forecast: { inputSchema: { schema: { type: 'object' } }, execute: expect.any(Function) as unknown },
    })
  })
})

test('a list of another server is formatted as well', () => {
  const tools = [{ name: 'a.b', inputSchema: { type: 'object' as const } }]
  expect(toAnthropicTools(tools)).toEqual([{ name: 'a_b', input_schema: { type: 'object', properties: {} } }])
})

test('a custom format is served beside the others', async () => {
  const ask = (method: string): object => ({ jsonrpc: '2.0', id: 1, method })
  await closing(createModelHost, async (app) => {
    const [gemini, ollama] = await Promise.all(
      ['gemini', 'ollama'].map(async (format) => {
        const payload = ask(`tools/list/${format}`)
        const headers = { host: 'localhost' }
        const response = await app.inject({ method: 'POST', url: '/mcp', payload, headers })
        return response.json<{ result: { tools: object[] } }>().result.tools
      }),
    )
    expect(gemini).toMatchObject([{ functionDeclarations: [{ name: 'forecast' }] }])
    expect(ollama).toMatchObject([{ function: { name: 'forecast' } }])
  })
})

test('plain JSON-RPC is served if it is enabled', async () => {
  await closing(createRpcHost, async (app) => {
    expect(await listTools(app, '/json-rpc')).toEqual(forecast)
  })
})

describe('the tools of the guides', () => {
  const options = { name: 'test', version: '1', controllers: [BookingTools, ForecastTools, StockTools, ReportTools] }

  test.each([
    [
      'book_table',
      { guests: 2 },
      "Invalid arguments for tool 'book_table': either missing required argument 'phone'; or missing required argument 'email'.",
    ],
    ['measure_in', { city: 'Faro' }, 'There is no station in Faro. Try Lisbon or Porto.'],
  ])('%s returns the documented error to the model', async (name, args, text) => {
    const server = await createServer(options)
    expect(await server.callTool(name, args)).toMatchObject({ isError: true, content: [{ type: 'text', text }] })
    await server.close()
  })

  test('reject a range with an error for the author of the client', async () => {
    const server = await createServer(options)
    const call = server.callTool('list_shelves', { from: 3, to: 1 })
    await expect(call).rejects.toMatchObject({ code: -32_602, data: { detail: '"to" must not be below "from"' } })
    await server.close()
  })

  test('report invalid arguments to clients of 2025-06-18 with a JSON-RPC error', async () => {
    await closing(
      () => createHost(options),
      async (app) => {
        const params = { name: 'forecast', arguments: { city: 'Lisbon', days: 9 } }
        const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        const headers = { host: 'localhost', 'mcp-protocol-version': '2025-06-18' }
        const response = await app.inject({ method: 'POST', url: '/mcp', payload, headers })
        const detail = "Invalid arguments for tool 'forecast': 'days' must be at most 7."
        expect(response.json()).toMatchObject({ error: { code: -32_602, data: { detail } } })
      },
    )
  })

  test('return blocks of each kind, and structured data with content', async () => {
    const server = await createServer(options)
    const { content } = await server.callTool('draw_week')
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource_link', 'resource'])
    expect(await server.callTool('measure_and_draw')).toMatchObject({
      structuredContent: { celsius: 21.5, station: 'Belém' },
      content: [{ text: '21.5 °C in Belém' }, { type: 'image' }],
      _meta: { 'example.com/source': 'station 7' },
    })
    await server.close()
  })
})

test('the argument of a prompt is completed', async () => {
  const server = await createServer({ name: 'test', version: '1', controllers: [ReviewPrompts, MorePrompts] })
  const argument = { name: 'language', value: 'Java' }
  expect(await server.complete({ ref: { type: 'ref/prompt', name: 'review' }, argument })).toMatchObject({
    values: ['Java', 'JavaScript'],
    hasMore: false,
  })
  await server.close()
})

test('a tool sends a log message before its result', async () => {
  await using connection = await connect({ name: 'test', version: '1', controllers: [ShopTools] }, { era: 'legacy' })
  const { client } = connection
  const messages: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => void messages.push(params))
  const { content } = await client.callTool({ name: 'sell', arguments: { article: 'tea', units: 11 } })
  expect(content).toEqual([{ type: 'text', text: '1 left' }])
  expect(messages).toEqual([{ level: 'warning', logger: 'shop', data: { article: 'tea', left: 1 } }])
})

test('features are shown to callers with the plan, and switched by tag and by name', async () => {
  const server = await createServer({ name: 'weather', version: '1', controllers: [PlannedTools, StationTools] })
  const namesFor = async (plan: string): Promise<string[]> => {
    const tools = await server.listTools({ principal: { subject: 'ada', claims: { plan } } })
    return tools.map(({ name }) => name)
  }
  expect(await namesFor('pro')).toEqual(['forecast', 'forecast_hours'])
  expect(await namesFor('free')).toEqual([])
  saveCosts(server)
  expect(await namesFor('pro')).toEqual(['forecast', 'reset_stations'])
  expect(await namesFor('free')).toEqual(['reset_stations'])
  await server.close()
})
