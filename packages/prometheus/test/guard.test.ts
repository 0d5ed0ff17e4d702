// Access to the metrics, and the warning about public metrics.
import {
  AuthenticationError,
  type Authenticator,
  BootError,
  LimitError,
  type McpServer,
  type Principal,
} from '@toolwright/core'
import { mcp } from '@toolwright/fastify'
import { type MetricsRouteOptions, metricsRoute, PrometheusMetrics, serveMetrics } from '@toolwright/prometheus'
import { createServer } from '@toolwright/server'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'

const apps: { close(): unknown }[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

const principals: Readonly<Record<string, Principal>> = {
  ops: { subject: 'ops', roles: ['Ops'], scopes: ['metrics.admin'], claims: {} },
  ada: { subject: 'ada', roles: [], scopes: ['tools'], claims: {} },
}

const authentication: Authenticator = {
  authenticate: ({ headers }) => {
    const token = headers['authorization']?.toString().replace('Bearer ', '')
    if (token === undefined) return null
    if (token === 'broken') throw new TypeError('the database password is hunter2')
    if (token === 'unchecked') throw new LimitError('unavailable', 'The issuer is unavailable', 7000)
    const principal = principals[token]
    if (principal === undefined) throw new AuthenticationError('invalid_token', 'Unauthorized: the token is unknown')
    return principal
  },
}

async function open(guard: Omit<MetricsRouteOptions, 'metrics'>): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  apps.push(app)
  const authorization = { impliedScopes: { 'metrics.admin': ['metrics.read'] } }
  await app.register(mcp, { name: 'test', version: '1', controllers: [], authentication, authorization })
  await app.register(metricsRoute, { metrics: new PrometheusMetrics(), ...guard })
  return app
}

async function read(app: FastifyInstance, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { statusCode, body, headers: answered } = await app.inject({ url: '/metrics', headers })
  return { status: statusCode, body, challenge: answered['www-authenticate'] }
}

describe('a metrics route with authentication', () => {
  test('admits authenticated callers only', async () => {
    const app = await open({ authentication })

    expect(await read(app)).toMatchObject({ status: 401, challenge: 'Bearer' })
    expect(await read(app, 'bad')).toMatchObject({
      status: 401,
      body: '{"error":"Unauthorized: the token is unknown"}',
      challenge: 'Bearer error="invalid_token", error_description="the token is unknown"',
    })
    expect(await read(app, 'ada')).toMatchObject({ status: 200, body: expect.stringContaining('mcp_sessions_open') })
  })

  test('admits callers with one of its roles', async () => {
    const app = await open({ authentication, roles: ['ops'] })

    expect(await read(app)).toMatchObject({ status: 401 })
    expect(await read(app, 'ada')).toMatchObject({
      status: 403,
      body: '{"error":"Forbidden: you are not allowed to use this"}',
    })
    expect(await read(app, 'ops')).toMatchObject({ status: 200 })
  })

  test('admits callers with all of its scopes, including implied ones', async () => {
    const app = await open({ authentication, scopes: ['metrics.read'] })

    expect(await read(app, 'ada')).toMatchObject({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="metrics.read"',
    })
    expect(await read(app, 'ops')).toMatchObject({ status: 200 })
  })

  test('does not disclose the error of a failing authenticator', async () => {
    const { status, body } = await read(await open({ authentication }), 'broken')

    expect(status).toBe(500)
    expect(body).not.toContain('hunter2')
  })

  test('can listen on a separate port', async () => {
    const app = await serveMetrics({ metrics: new PrometheusMetrics(), port: 0, authentication, roles: ['ops'] })
    apps.push(app)

    expect(await read(app)).toMatchObject({ status: 401 })
    expect(await read(app, 'ops')).toMatchObject({ status: 200 })
  })
})

test.each([
  [{ roles: ['ops'] }, 'metricsRoute: roles requires authentication'],
  [{ authentication, roles: [] }, 'roles is empty'],
  [{ authentication, scopes: ['a b'] }, "scopes has the string 'a b' in it"],
  [{ authentication: {} }, 'has no method authenticate'],
])('metricsRoute rejects the guard %j at boot', async (guard, message) => {
  const app = Fastify()
  const registering = app.register(metricsRoute, { metrics: new PrometheusMetrics(), ...(guard as object) })
  const error: unknown = await Promise.resolve(registering).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(BootError)
  expect((error as BootError).message).toContain(message)
})

describe('the log of a server that hides features', () => {
  const warning = 'the metrics at 0.0.0.0:'

  async function serve(hideForbidden: boolean): Promise<{ server: McpServer; lines: string[] }> {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const authorization = { hideForbidden }
    const server = await createServer({ name: 'test', version: '1', controllers: [], logger, authorization })
    apps.push(server)
    return { server, lines }
  }

  async function listen(
    { server, lines }: { server: McpServer; lines: string[] },
    host: string,
    guard: object,
  ): Promise<string> {
    const app = Fastify()
    apps.push(app)
    await app.register(mcp, { server, authentication })
    await app.register(metricsRoute, { metrics: new PrometheusMetrics(), ...guard })
    await app.listen({ host, port: 0 })
    return lines.join('')
  }

  test('warns if the metrics can be read from other machines', async () => {
    expect(await listen(await serve(true), '0.0.0.0', {})).toContain(warning)
  })

  test.each([
    ['on a loopback address', true, '127.0.0.1', {}],
    ['with authentication', true, '0.0.0.0', { authentication }],
    ['without hidden features', false, '0.0.0.0', {}],
  ])('does not warn %s', async (_where, hideForbidden, host, guard) => {
    expect(await listen(await serve(hideForbidden), host, guard)).not.toContain('the metrics at')
  })

  test('warns of a separate port, at any time when the server is observed', async () => {
    const { server, lines } = await serve(true)
    const metrics = new PrometheusMetrics()
    apps.push(await serveMetrics({ metrics, host: '0.0.0.0', port: 0 }))
    metrics.observe(server)

    expect(lines.join('')).toContain(warning)
  })
})

test('credentials that cannot be checked get 503 and the time of the next attempt', async () => {
  const app = await open({ authentication })
  const { statusCode, headers } = await app.inject({ url: '/metrics', headers: { authorization: 'Bearer unchecked' } })
  expect([statusCode, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '7', undefined])
})
