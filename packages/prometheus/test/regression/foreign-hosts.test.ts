// Requests of pages whose host name points at this machine (DNS rebinding), to routes beside the endpoint.
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { health, mcp } from '@toolwright/fastify'
import { metricsRoute, PrometheusMetrics, serveMetrics } from '@toolwright/prometheus'
import Fastify, { type FastifyInstance } from 'fastify'

const apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function open(bind: string, allowedHosts?: readonly string[]): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  apps.push(app)
  const hosts = allowedHosts === undefined ? {} : { allowedHosts }
  await app.register(mcp, { name: 'test', version: '1', controllers: [], waive: ['open-bind'], ...hosts })
  await app.register(health, { details: true })
  await app.register(metricsRoute, { metrics: new PrometheusMetrics() })
  await app.listen({ host: bind, port: 0 })
  return app
}

function status(app: FastifyInstance, path: string, host: string): Promise<number | undefined> {
  const { port } = app.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end()
  })
}

const paths = ['/metrics', '/health/live', '/health/ready']

test.each(paths)('%s of a server on a loopback address accepts local host names only', async (path) => {
  const app = await open('127.0.0.1', ['mcp.example.com'])
  const hosts = [
    'evil.com',
    'localhost.evil.com',
    'evil.com:3000',
    '127.0.0.1:3000',
    'localhost',
    '[::1]:9',
    'mcp.example.com',
  ]
  const statuses: (number | undefined)[] = []
  // oxlint-disable-next-line no-await-in-loop
  for (const host of hosts) statuses.push(await status(app, path, host))
  expect(statuses).toEqual([403, 403, 403, 200, 200, 200, 200])
})

test.each(paths)('%s of a server on a public address accepts every host name', async (path) => {
  const app = await open('0.0.0.0')
  expect(await status(app, path, '10.1.2.3:8080')).toBe(200)
})

test('serveMetrics on a loopback address accepts local host names only', async () => {
  const app = await serveMetrics({ metrics: new PrometheusMetrics(), port: 0 })
  apps.push(app)
  expect(await status(app, '/metrics', 'evil.com')).toBe(403)
  expect(await status(app, '/metrics', 'localhost:9464')).toBe(200)
})
