import { type HealthOptions, health } from '@toolwright/fastify'
import Fastify, { type FastifyInstance } from 'fastify'

const apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function open(options: HealthOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({ logger: false })
  apps.push(app)
  await app.register(health, options)
  return app
}

async function get(app: FastifyInstance, url: string) {
  const { statusCode, body, headers } = await app.inject({ url, headers: { host: '10.1.2.3:8080' } })
  return { status: statusCode, body: JSON.parse(body) as unknown, cacheControl: headers['cache-control'] }
}

const ok = { status: 200, body: { status: 'ok' }, cacheControl: 'no-store' }
const unavailable = { status: 503, body: { status: 'unavailable' }, cacheControl: 'no-store' }

it('is live and ready where nothing is checked, by whatever name it is asked', async () => {
  const app = await open()
  expect(await get(app, '/health/live')).toEqual(ok)
  expect(await get(app, '/health/ready')).toEqual(ok)
})

it.each([
  ['rejects', () => Promise.reject(new Error('password=hunter2'))],
  [
    'throws',
    () => {
      throw new Error('password=hunter2')
    },
  ],
  ['answers false', () => false],
  ['never settles', () => new Promise(() => undefined)],
])('is live but not ready when a check %s, and does not say why', async (_name, check) => {
  const app = await open({ checks: { queue: () => true, db: check }, timeoutMs: 50 })
  expect(await get(app, '/health/ready')).toEqual(unavailable)
  expect(await get(app, '/health/live')).toEqual(ok)
})

it('names the checks where it may', async () => {
  const checks = { db: () => Promise.reject(new Error('password=hunter2')), queue: () => undefined }
  const app = await open({ checks, details: true, path: '/probes' })
  expect(await get(app, '/probes/ready')).toEqual({
    ...unavailable,
    body: { status: 'unavailable', checks: { db: 'failed', queue: 'ok' } },
  })
})

it('runs checks once for all that ask at about the same time', async () => {
  let runs = 0
  const app = await open({ checks: { db: () => ++runs }, cacheMs: 100 })
  await Promise.all(Array.from({ length: 50 }, () => get(app, '/health/ready')))
  await get(app, '/health/ready')
  expect(runs).toBe(1)
  await new Promise((resolve) => {
    setTimeout(resolve, 120)
  })
  await get(app, '/health/ready')
  expect(runs).toBe(2)
})
