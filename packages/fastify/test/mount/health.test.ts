import { BootError } from '@toolwright/core'
import { type HealthOptions, health } from '@toolwright/fastify'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'

const apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function open(
  options: HealthOptions = {},
  logger: FastifyServerOptions['logger'] = false,
): Promise<FastifyInstance> {
  const app = Fastify({ logger })
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

it('a server is live and ready without checks, for any Host header', async () => {
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
  ['returns false', () => false],
  ['resolves to false', () => Promise.resolve(false)],
  ['never settles', () => new Promise(() => undefined)],
])('a server is live but not ready when a check %s, without the reason', async (_name, check) => {
  const app = await open({ checks: { queue: () => true, db: check }, timeoutMs: 50 })
  expect(await get(app, '/health/ready')).toEqual(unavailable)
  expect(await get(app, '/health/live')).toEqual(ok)
})

it.each([undefined, null, 0, '', 'PONG', { ok: false }])(
  'a server accepts the result %p of a check as a success',
  async (answer) => {
    const app = await open({ checks: { db: () => answer } })
    expect(await get(app, '/health/ready')).toEqual(ok)
  },
)

it('a server waits for a check without a limit, if the option says so', async () => {
  const slow = () => new Promise((resolve) => setTimeout(resolve, 50))
  const app = await open({ checks: { db: slow }, timeoutMs: Infinity })
  expect(await get(app, '/health/ready')).toEqual(ok)
})

it('a server leaves no timer of a finished check, which would delay the end of the process', async () => {
  const checks = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`check ${index}`, () => index % 2 === 0]))
  const app = await open({ checks, timeoutMs: 60_000 })
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()

  await get(app, '/health/ready')

  // Other modules start and clear timers, too.
  expect(timers() - before).toBeLessThan(25)
})

it('a server rejects invalid checks at boot', async () => {
  const diagnosticsOf = async (options: object): Promise<readonly string[]> => {
    const error: unknown = await open(options).catch((reason: unknown) => reason)
    return error instanceof BootError ? error.diagnostics.map(({ message }) => message) : [String(error)]
  }

  expect(
    await diagnosticsOf({ check: () => false, readiness: {}, timeoutMs: '1s', cacheMs: -1, details: 'no' }),
  ).toEqual([
    'health.check is not an option. Give `checks`, with a function for each name: `{ database: () => database.ping() }`.',
    'health.readiness is not an option. Give one of cacheMs, checks, details, path, timeoutMs.',
    "health.timeoutMs is the string '1s'. Give a whole number of at least 1.",
    'health.cacheMs is -1. Give a whole number of at least 0.',
    "health.details is the string 'no'. Give true or false.",
  ])
  expect(await diagnosticsOf({ checks: () => false, path: 'health' })).toEqual([
    'health.checks is the function checks. Give an object.',
    "health.path is the string 'health'. Give a path that begins with /, does not end with / and has no query, such as '/health'.",
  ])
  expect(await diagnosticsOf({ path: '/health?full' })).toEqual([
    "health.path is the string '/health?full'. " +
      "Give a path that begins with /, does not end with / and has no query, such as '/health'.",
  ])
  expect(await diagnosticsOf({ checks: { db: false, queue: undefined }, prefix: '/api' })).toEqual([
    "health.prefix is not an option. Put the prefix into the path: `path: '/internal/health'`.",
    'health.checks.db is false. Give a function that returns false, or rejects, when the dependency is not available.',
    'health.checks.queue is undefined. Give a function that returns false, or rejects, when the dependency is not available.',
  ])
})

it('the health plugin fails when its routes exist already, without ending the process', async () => {
  const app = Fastify({ logger: false })
  apps.push(app)
  app.get('/health/live', () => 'mine')
  await expect(async () => app.register(health)).rejects.toThrow(
    "Method 'GET' already declared for route '/health/live'",
  )
})

it('a server logs once when a check begins to fail, and once when it passes again', async () => {
  const lines: string[] = []
  const write = (line: string): void => {
    const { level, msg, check, err } = JSON.parse(line) as Record<string, unknown> & { err?: { message: string } }
    lines.push([level, msg, check, err?.message ?? ''].join(' '))
  }
  let isDown = true
  const db = () => (isDown ? Promise.reject(new Error('no connection')) : true)
  const app = await open({ checks: { db, queue: () => false }, cacheMs: 0 }, { stream: { write } })
  const ask = async () => {
    for (let probe = 0; probe < 5; probe++) await get(app, '/health/ready')
  }
  await ask()
  isDown = false
  await ask()
  isDown = true
  await ask()

  expect(lines).toEqual([
    '40 a health check fails: not ready db no connection',
    '40 a health check fails: not ready queue ',
    '30 a health check passes again db ',
    '40 a health check fails: not ready db no connection',
  ])
})

it('a server names the checks if the option allows it', async () => {
  const checks = { db: () => Promise.reject(new Error('password=hunter2')), queue: () => undefined }
  const app = await open({ checks, details: true, path: '/probes' })
  expect(await get(app, '/probes/ready')).toEqual({
    ...unavailable,
    body: { status: 'unavailable', checks: { db: 'failed', queue: 'ok' } },
  })
})

it('a server runs checks once for concurrent requests', async () => {
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
