import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mcp } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import { apiKeys, createHost, type HostOptions, McpTool } from 'toolwright'

class Tools {
  @McpTool()
  ping(): string {
    return 'pong'
  }
}

const served = { name: 'slashes', version: '1.0.0', controllers: [Tools] }
const open: FastifyInstance[] = []

async function host(options: Partial<HostOptions> = {}): Promise<FastifyInstance> {
  const app = await createHost({ ...served, ...options, fastify: { logger: false, ...options.fastify } })
  open.push(app)
  return app
}

afterEach(() => Promise.all(open.splice(0).map((app) => app.close())))

/** The status and the body of `tools/list`. */
async function list(app: FastifyInstance, url: string, headers: Record<string, string> = {}) {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url,
    headers: { host: 'localhost', accept: 'application/json, text/event-stream', ...headers },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  })
  return [statusCode, body]
}

describe('createHost', () => {
  it('serves a client whose URL has a trailing slash, with a session', async () => {
    const app = await host()
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const client = new Client({ name: 'client', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp/`)))

    const { content } = await client.callTool({ name: 'ping' })
    await client.close()

    expect(content).toEqual([{ type: 'text', text: 'pong' }])
  })

  it('responds at the path with a trailing slash as it does without the slash, to every method', async () => {
    const app = await host({ path: '/api/mcp' })

    expect(await list(app, '/api/mcp/')).toEqual(await list(app, '/api/mcp'))
    expect((await list(app, '/api/mcp/'))[0]).toBe(200)
    for (const method of ['GET', 'DELETE', 'PUT'] as const) {
      const [plain, slash] = await Promise.all(
        ['/api/mcp', '/api/mcp/'].map((url) => app.inject({ method, url, headers: { host: 'localhost' } })),
      )
      expect([slash?.statusCode, slash?.body]).toEqual([plain?.statusCode, plain?.body])
      expect(slash?.statusCode).not.toBe(404)
    }
  })

  it('checks credentials, Host and Origin at the path with a trailing slash, too', async () => {
    const app = await host({
      authentication: apiKeys({ keys: [{ key: 'x'.repeat(40), subject: 'ada' }] }),
      cors: true,
      allowedOrigins: ['https://app.example.com'],
    })
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/mcp/',
      headers: { host: 'localhost', origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })

    expect((await list(app, '/mcp/'))[0]).toBe(401)
    expect((await list(app, '/mcp/', { host: 'evil.example.com' }))[0]).toBe(403)
    expect((await list(app, '/mcp/', { origin: 'https://evil.example.com' }))[0]).toBe(403)
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://app.example.com',
    ])
  })

  it('does not change other paths', async () => {
    const app = await host({ rpc: true })
    app.get('/about', () => 'without')
    app.get('/about/', () => 'with')

    for (const url of ['/mcp//', '/mcp/x', '/rpc/']) expect((await list(app, url))[0]).toBe(404)
    expect((await app.inject('/health/live/')).statusCode).toBe(404)
    expect((await app.inject('/about')).body).toBe('without')
    expect((await app.inject('/about/')).body).toBe('with')
  })

  it('adds no route to a path that ends with a slash', async () => {
    const app = await host({ path: '/' })

    expect((await list(app, '/'))[0]).toBe(200)
    expect((await list(app, '//'))[0]).toBe(404)
  })

  it.each([
    ['routerOptions', true, 200],
    ['routerOptions', false, 404],
    ['options', true, 200],
    ['options', false, 404],
  ])('leaves slashes to the router when its %s are %s', async (where, ignoreTrailingSlash, status) => {
    const app = await host({
      fastify: where === 'options' ? { ignoreTrailingSlash } : { routerOptions: { ignoreTrailingSlash } },
    })

    expect((await list(app, '/mcp'))[0]).toBe(200)
    expect((await list(app, '/mcp/'))[0]).toBe(status)
  })
})

it('the plugin leaves the path with a trailing slash to the application', async () => {
  const app = Fastify()
  open.push(app)
  await app.register(mcp, served)
  app.post('/mcp/', () => 'mine')

  expect((await list(app, '/mcp'))[0]).toBe(200)
  expect(await list(app, '/mcp/')).toEqual([200, 'mine'])
})
