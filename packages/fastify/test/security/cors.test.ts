import fastifyCors from '@fastify/cors'
import { mcp } from '@toolwright/fastify'
import Fastify from 'fastify'
import { closeApps, connectTo, openApp } from '../../../../test/support/client/index.js'

afterEach(closeApps)

const page = 'https://app.example.com'
const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'mcp-method',
}

function corsOf(headers: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control')))
}

async function ask(options: object, headers: Record<string, string> = preflight) {
  const app = await openApp(options)
  const { statusCode, headers: received } = await app.inject({ method: 'OPTIONS', url: '/mcp', headers })
  return { status: statusCode, cors: corsOf(received) }
}

it('CORS is disabled by default', async () => {
  expect(await ask({ allowedOrigins: [page] })).toEqual({ status: 405, cors: {} })
  expect(await ask({ allowedOrigins: [page], cors: false })).toEqual({ status: 405, cors: {} })
})

it('CORS allows only pages of allowed origins to call', async () => {
  const options = { cors: true, allowedOrigins: [page] }
  expect(await ask(options)).toEqual({
    status: 204,
    cors: {
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'mcp-method',
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
    },
  })
  const { cors } = await ask(options, { ...preflight, origin: 'https://evil.example' })
  expect(cors).not.toHaveProperty('access-control-allow-origin')
  const plain = await ask(options, { origin: page, 'access-control-request-method': 'POST' })
  expect(plain.cors).not.toHaveProperty('access-control-allow-headers')
})

it('CORS applies to responses and rejections, so that pages can read them', async () => {
  const client = connectTo(await openApp({ cors: { credentials: true }, allowedOrigins: [page] }))
  const { status, headers } = await client.request('tools/list', {}, { headers: { origin: page } })
  expect({ status, cors: corsOf(headers) }).toEqual({
    status: 200,
    cors: {
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
    },
  })
})

it('CORS does not mistake a call for a preflight request', async () => {
  const client = connectTo(await openApp({ cors: true, allowedOrigins: [page] }))
  expect(await client.request('tools/list', {}, { headers: preflight })).toMatchObject({ status: 200 })
})

it('CORS never allows credentials for pages of all origins', async () => {
  await expect(openApp({ cors: { credentials: true }, allowedOrigins: ['*'] })).rejects.toThrow(
    "cors.credentials is on and allowedOrigins has '*': every web page could send requests with the cookies of its visitors.",
  )
})

it('CORS is rejected without origins', async () => {
  await expect(openApp({ cors: true, allowedHosts: ['*'] })).rejects.toThrow('cors is on, but no web page may call.')
})

const mounted = { name: 'wire', version: '1.0.0', controllers: [], cors: true, allowedOrigins: [page] } as const

describe('CORS in an application with other routes', () => {
  it('does not apply to the other routes', async () => {
    const app = await openApp({ cors: true, allowedOrigins: [page] })
    app.delete('/accounts', () => 'gone')

    const { statusCode, headers } = await app.inject({
      method: 'OPTIONS',
      url: '/accounts',
      headers: { ...preflight, 'access-control-request-method': 'DELETE' },
    })

    expect({ status: statusCode, cors: corsOf(headers) }).toEqual({ status: 404, cors: {} })
  })

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'handles pages that call the endpoint if @fastify/cors is registered %s the plugin mcp',
    async (_when, isBefore) => {
      const app = Fastify()
      const others = { origin: ['https://other.example.com'] }
      if (isBefore) await app.register(fastifyCors, others)
      await app.register(mcp, mounted)
      if (!isBefore) await app.register(fastifyCors, others)
      app.get('/own', () => 'own')

      const asked = await app.inject({ method: 'OPTIONS', url: '/mcp', headers: preflight })
      const called = await connectTo(app).request('tools/list', {}, { headers: { origin: page } })
      const own = await app.inject({ url: '/own', headers: { origin: page } })

      const answered = expect.objectContaining({ 'access-control-allow-origin': page }) as unknown
      expect([asked, called, own].map(({ headers }) => corsOf(headers))).toEqual([answered, answered, {}])
      await app.close()
    },
  )
})

it('CORS leaves the metadata of the resource readable for all pages, also beside @fastify/cors', async () => {
  const app = Fastify()
  await app.register(fastifyCors, { origin: ['https://other.example.com'] })
  const metadata = { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://login.example.com'] }
  await app.register(mcp, { ...mounted, authentication: { metadata, authenticate: () => null } })

  const { headers } = await app.inject({
    method: 'OPTIONS',
    url: '/.well-known/oauth-protected-resource/mcp',
    headers: { ...preflight, 'access-control-request-method': 'GET' },
  })

  expect(headers['access-control-allow-origin']).toBe('*')
  await app.close()
})

it('CORS applies to additional endpoints', async () => {
  const app = await openApp({ cors: true, allowedOrigins: [page], rpc: true, legacySse: true })
  const statusOf = async (url: string): Promise<unknown> =>
    (await app.inject({ method: 'OPTIONS', url, headers: preflight })).statusCode

  expect(await Promise.all(['/mcp', '/rpc', '/sse', '/messages'].map(statusOf))).toEqual([204, 204, 204, 204])
})

it('CORS extends the Vary header of the application', async () => {
  const app = Fastify()
  app.addHook('onRequest', async (_request, reply) => void reply.header('vary', 'Accept-Language'))
  await app.register(mcp, mounted)
  const varyOf = async (headers: Record<string, string>): Promise<unknown> =>
    (await app.inject({ method: 'OPTIONS', url: '/mcp', headers })).headers['vary']

  expect(await varyOf({})).toBe('Accept-Language, Origin')
  expect(await varyOf(preflight)).toBe('Accept-Language, Origin, Access-Control-Request-Headers')
  await app.close()
})

it('CORS compares origins case-insensitively, like the Origin check', async () => {
  const { cors: headers } = await ask({ cors: { maxAge: 600 }, allowedOrigins: ['https://APP.example.com'] })

  expect(headers).toMatchObject({ 'access-control-allow-origin': page, 'access-control-max-age': '600' })
})
