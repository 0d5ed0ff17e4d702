import { connectInMemory, type McpServer, type Principal, ProtocolError } from '@toolwright/core'
import { gateway } from '@toolwright/gateway'
import { createServer } from '@toolwright/server'
import type { FastifyInstance } from 'fastify'
import { Authorize, createHost, McpContext, McpTool, type Static, ToolError, Type, text } from 'toolwright'
import { until } from '../../../test/support/until.js'

const started: string[] = []
const waiting: (() => void)[] = []

function release(): void {
  for (const go of waiting.splice(0)) go()
}

const NameInput = Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer()) })

class Tools {
  @McpTool({ description: 'Greets', input: NameInput })
  greet({ name }: Static<typeof NameInput>, { principal }: McpContext): string {
    return `Hello ${name} from ${principal?.subject ?? 'nobody'}`
  }

  @McpTool({ description: 'Fails' })
  fail(): never {
    throw new ToolError('No luck.')
  }

  @McpTool({ description: 'Fails with an error about tools that are no tools of MCP' })
  findSaw(): never {
    throw new ProtocolError('invalidParams', 'Unknown tool: saw', { shelf: 3 })
  }

  @McpTool({ description: 'Returns two texts' })
  pair() {
    return [text('a'), text('b')]
  }

  @McpTool({ description: 'Returns a list' })
  list(): readonly number[] {
    return [1, 2]
  }

  @McpTool({ description: 'Returns nothing' })
  nothing(): void {}

  @McpTool({ description: 'Waits', inputSchema: { type: 'object' } })
  async wait(args: { readonly id?: string }): Promise<void> {
    started.push(args.id ?? '')
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
    })
  }

  @McpTool({ description: 'Is for administrators' })
  @Authorize({ roles: ['Admin'] })
  secretReport(): string {
    return 'secret'
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
type Message = any

const servers: McpServer[] = []
const hosts: FastifyInstance[] = []

afterEach(async () => {
  release()
  await Promise.all([
    ...servers.splice(0).map((server) => server.close()),
    ...hosts.splice(0).map((host) => host.close()),
  ])
})

async function start(options: object = {}): Promise<McpServer> {
  const { name, version, extensions = [], listFormats = {} } = await gateway({})
  const authorization = { default: 'anonymous' } as const
  const base = { name, version, extensions, listFormats, authorization, controllers: [Tools] }
  const server = await createServer({ ...base, ...options })
  servers.push(server)
  return server
}

function request(server: McpServer, method: string, params?: object, principal?: Principal): Promise<Message> {
  return new Promise((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve, ...(principal === undefined ? {} : { principal }) })
    client.send({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) })
  })
}

const admin: Principal = { subject: 'ada', roles: ['Admin'], scopes: [], claims: {} }

describe('a tool as the method', () => {
  test('returns the bare value', async () => {
    const server = await start()
    expect(await request(server, 'greet', { name: 'Bo' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: 'Hello Bo from nobody',
    })
    expect((await request(server, 'list')).result).toEqual([1, 2])
    expect((await request(server, 'nothing')).result).toBeNull()
    expect((await request(server, 'pair')).result.content).toHaveLength(2)
  })

  test('gets the caller', async () => {
    const server = await start()
    expect((await request(server, 'greet', { name: 'Bo' }, admin)).result).toBe('Hello Bo from ada')
  })

  test('describes invalid arguments', async () => {
    const server = await start()
    const { error } = await request(server, 'greet', { age: 1 })
    expect(error).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: {
        detail: expect.stringContaining('name') as string,
        tool: 'greet',
        requiredFields: ['name'],
        example: '{ "name": "example" }',
        hint: "The tool 'greet' requires: name.",
      },
    })
    expect((await request(server, 'greet', [1] as never)).error).toMatchObject({ code: -32602 })
  })

  test('returns an error when the tool fails', async () => {
    const server = await start()
    expect((await request(server, 'fail')).error).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { detail: 'No luck.' },
    })
  })

  test('suggests similar tools', async () => {
    const server = await start()
    expect((await request(server, 'gre_et')).error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: {
        detail: "The server has no tool 'gre_et'.",
        requestedTool: 'gre_et',
        suggestions: ['greet'],
        hint: 'Did you mean: greet?',
      },
    })
  })

  test('keeps an error of the tool whose message is like that of an unknown tool', async () => {
    const expected = { code: -32602, message: 'Unknown tool: saw', data: { shelf: 3 } }
    const server = await start()
    expect((await request(server, 'find_saw')).error).toEqual(expected)
    expect((await request(server, 'tools/call', { name: 'find_saw' })).error).toEqual(expected)
  })

  test('keeps ids that look like JSON', async () => {
    const server = await start()
    const id = 'x","result":{"a":1},"error":"'
    const answer = await new Promise<Message>((resolve) => {
      connectInMemory(server, { onMessage: resolve }).send({
        jsonrpc: '2.0',
        id,
        method: 'greet',
        params: { name: 'Bo' },
      })
    })
    expect(answer).toEqual({ jsonrpc: '2.0', id, result: 'Hello Bo from nobody' })
  })

  test('does not replace methods of the protocol or of other extensions', async () => {
    const extensions = [{ id: 'com.example/more', methods: { greetings: () => ({ count: 3 }) } }]
    const { extensions: all = [] } = await gateway({ extensions })
    const server = await createServer({
      name: 'test',
      version: '1',
      extensions: all,
      controllers: [Tools],
      authorization: { default: 'anonymous' },
    })
    servers.push(server)
    expect((await request(server, 'ping')).result).toEqual({})
    expect((await request(server, 'greetings')).result).toEqual({ count: 3 })
    expect((await request(server, 'tools/unknown')).error).toMatchObject({ code: -32601 })
  })
})

describe('access to a tool as the method', () => {
  const authorization = { default: 'anonymous', hideForbidden: true }

  test('needs the roles of the tool', async () => {
    const server = await start()
    expect((await request(server, 'secret_report')).error).toBeDefined()
    expect((await request(server, 'secret_report', {}, admin)).result).toBe('secret')
  })

  test('hides a tool as if it did not exist, also from suggestions', async () => {
    const server = await start({ authorization })
    const hidden = await request(server, 'secret_report')
    const unknown = await request(server, 'secret_rapport')
    expect(hidden.error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: { detail: "The server has no tool 'secret_report'.", requestedTool: 'secret_report' },
    })
    expect(Object.keys(unknown.error.data as object)).toEqual(['detail', 'requestedTool'])
  })
})

describe('a notification with the name of a tool', () => {
  function notify(server: McpServer, count: number, principal?: Principal) {
    const client = connectInMemory(server, {
      onMessage: () => undefined,
      ...(principal === undefined ? {} : { principal }),
    })
    for (let index = 0; index < count; index++) {
      client.send({ jsonrpc: '2.0', method: 'wait', params: { id: String(index) } })
    }
    return client
  }

  beforeEach(() => {
    started.length = 0
  })

  test('runs the tool, and counts as a request', async () => {
    const server = await start()
    notify(server, 1)
    await until(() => started.length === 1)
    expect(server.inFlight.count).toBe(1)
    release()
    await server.inFlight.idle()
  })

  test('is dropped beyond the limits of the server and of the connection', async () => {
    const logger = silent()
    const server = await start({ limits: { maxInFlight: 2 }, logger })
    notify(server, 5)
    await until(() => started.length === 2)
    expect(server.inFlight.count).toBe(2)
    const other = await start({ logger: silent() })
    started.length = 0
    notify(other, 150)
    await until(() => started.length === 100)
    expect(other.inFlight.count).toBe(100)
  })

  test('is dropped after the credentials have expired', async () => {
    const server = await start({ logger: silent() })
    notify(server, 1, { ...admin, expiresAt: 1 })
    await request(server, 'greet', { name: 'Bo' })
    expect(started).toEqual([])
  })

  function silent() {
    return { ...consoleLike(), child: () => silent() }
  }

  function consoleLike() {
    const none = (): void => undefined
    return { debug: none, error: none, fatal: none, info: none, trace: none, warn: none }
  }
})

describe('a page with a size that the client requests', () => {
  test('is rejected with a cursor of another list, or a forged cursor', async () => {
    const server = await start()
    const { result } = await request(server, 'tools/list', { pageSize: 2 })
    expect(result.tools).toHaveLength(2)
    const { nextCursor } = result
    const wrong = [
      ['tools/list', { cursor: `${nextCursor}x` }],
      ['prompts/list', { cursor: nextCursor }],
      ['tools/list', { cursor: 'x', pageSize: 2 }],
    ] as const
    for (const [method, params] of wrong) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await request(server, method, params)).error).toMatchObject({ code: -32602 })
    }
  })

  test('follows the pages of the server', async () => {
    const server = await start({ pageSize: 2 })
    const names: string[] = []
    let cursor: string | undefined
    do {
      // oxlint-disable-next-line no-await-in-loop
      const { result } = await request(server, 'tools/list', {
        pageSize: 3,
        ...(cursor === undefined ? {} : { cursor }),
      })
      names.push(...(result.tools as { readonly name: string }[]).map(({ name }) => name))
      cursor = result.nextCursor as string | undefined
    } while (cursor !== undefined)
    expect(names).toEqual((await server.listTools()).map(({ name }) => name).filter((name) => name !== 'secret_report'))
  })

  test('has no tools that the caller may not see', async () => {
    const server = await start({ authorization: { default: 'anonymous', hideForbidden: true } })
    const { result } = await request(server, 'tools/list', { pageSize: 50 })
    expect((result.tools as { readonly name: string }[]).some(({ name }) => name === 'secret_report')).toBe(false)
  })
})

describe('MCP_PROTOCOL_VERSION', () => {
  test('is the version that initialize returns', async () => {
    process.env['MCP_PROTOCOL_VERSION'] = '2025-06-18'
    try {
      const server = await start()
      expect((await request(server, 'initialize')).result.protocolVersion).toBe('2025-06-18')
    } finally {
      delete process.env['MCP_PROTOCOL_VERSION']
    }
  })
})

describe('the routes', () => {
  test('/metrics needs the credentials of the endpoint', async () => {
    const { authenticateWith } = await import('toolwright')
    const authentication = authenticateWith(({ headers }) => (headers.authorization === 'Bearer x' ? admin : null))
    const app = await createHost(
      await gateway(
        { controllers: [Tools], authentication, fastify: { logger: false } },
        { metrics: true, health: true },
      ),
    )
    hosts.push(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const get = async (url: string, headers: object = {}) =>
      app.inject({ method: 'GET', url, headers: { host: 'localhost', ...headers } })
    expect((await get('/metrics')).statusCode).toBe(401)
    expect((await get('/metrics', { authorization: 'Bearer x' })).statusCode).toBe(200)
    expect((await get('/health')).statusCode).toBe(200)
    expect((await get('/health', { host: 'evil.example' })).statusCode).toBe(403)
  })

  test('do not exist by default', async () => {
    const app = await createHost(await gateway({ controllers: [Tools], fastify: { logger: false } }))
    hosts.push(app)
    for (const url of ['/metrics', '/health']) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await app.inject({ method: 'GET', url, headers: { host: 'localhost' } })).statusCode).toBe(404)
    }
  })
})
