// Each request calls a custom store that fails or times out. The tests check the log lines and their number.

import { defaultLimits, InMemoryRateLimiter, type McpServer } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { InMemoryTaskStore, type Task } from '@toolwright/tasks'
import { pino } from 'pino'
import { openRawClient, type RawClient, type RawMessage } from '../../core/test/support/raw-client.js'

afterEach(() => jest.restoreAllMocks())

type Take = () => unknown

const unavailable = (what: string) => ({ code: -32603, message: `${what} temporarily unavailable. Try again in 1 s` })

/** By name: the options with a store that fails in one way, and a request that calls it. */
const stores = {
  'the rate limiter': {
    options: (take: Take) => ({ rateLimiter: { take }, rateLimit: { calls: 9, windowMs: 1000 } }),
    ask: (client: RawClient) => client.request('ping'),
    answer: 0,
    rejection: unavailable('The rate limiter is'),
  },
  'the task store': {
    options: (get: Take) => ({ tasks: { store: { create: get, get, update: get } } }),
    ask: (client: RawClient) =>
      client.modern('tasks/get', { taskId: 'a' }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
    answer: { taskId: 'a', owner: null, status: 'working', createdAt: 0, lastUpdatedAt: 0, ttlMs: null } satisfies Task,
    rejection: unavailable('Tasks are'),
  },
}

const lines: string[] = []
beforeEach(() => lines.splice(0))
const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })

async function serve(options: object): Promise<McpServer> {
  const common = { name: 's', version: '1', controllers: [], logger, limits: { storeTimeoutMs: 20 } }
  const server = await createServer({ ...options, ...common })
  // Tasks are served only if there is a task tool.
  server.catalog.addTool({ name: 'long', task: 'optional', handler: () => 'done' })
  return server
}

describe.each(Object.entries(stores))('%s', (what, { options, ask, answer, rejection }) => {
  const begin = `${what} fails: clients are asked to retry`
  const end = `${what} has recovered`

  it.each([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['is late', () => new Promise(() => undefined)],
  ])('that %s: clients get a retryable error, and each failure is counted', async (_how, take) => {
    const server = await serve(options(take))
    await using client = openRawClient(server)

    expect((await ask(client)).error).toMatchObject(rejection)
    expect((await ask(client)).error).toMatchObject(rejection)

    expect(server.metrics().storeFailures).toBe(2)
    const gauge = server.gauges.all.find(({ name }) => name === 'store_failures_total')
    expect([gauge?.kind, gauge?.read()]).toEqual(['counter', 2])
    expect(lines).toEqual([begin])
  })

  it('that fails every second time is logged at intervals only', async () => {
    let now = 1000
    jest.spyOn(performance, 'now').mockImplementation(() => now)
    let asks = 0
    const server = await serve(options(() => (++asks % 2 === 1 ? Promise.reject(new Error('secret')) : answer)))
    await using client = openRawClient(server)
    const askOften = async (): Promise<void> => {
      for (let pair = 0; pair < 10; pair++) {
        const [failed, answered]: RawMessage[] = [await ask(client), await ask(client)]
        expect([failed?.error === undefined, answered?.error === undefined]).toEqual([false, true])
      }
    }

    await askOften()
    expect(lines).toEqual([begin, end])
    now += 10_000
    await askOften()
    expect(lines).toEqual([begin, end, begin, end])
  })
})

describe('a custom store that wraps another store', () => {
  const made = {
    'the rate limiter': (take: Take) => ({
      rateLimiter: new (class extends InMemoryRateLimiter {
        override take = take as InMemoryRateLimiter['take']
      })(),
    }),
    'the task store': (get: Take) => ({
      tasks: {
        store: new (class extends InMemoryTaskStore {
          override get = get as InMemoryTaskStore['get']
        })(defaultLimits),
      },
    }),
  } as const

  it.each(Object.entries(made))('is guarded like any other store: %s', async (what, make) => {
    const { options, ask, rejection } = stores[what as keyof typeof stores]
    const own = make(() => Promise.reject(new Error('secret')))
    const server = await serve({ ...options(() => undefined), ...own })
    await using client = openRawClient(server)

    expect((await ask(client)).error).toMatchObject(rejection)

    expect(server.metrics().storeFailures).toBe(1)
    expect(lines).toEqual([`${what} fails: clients are asked to retry`])
  })

  it('reports its usage', async () => {
    class OwnStore extends InMemoryTaskStore {}
    const server = await serve({ tasks: { store: new OwnStore({ ...defaultLimits, maxTasks: 7 }) } })

    expect(server.metrics().keptTasks).toEqual({ value: 0, max: 7 })
  })
})
