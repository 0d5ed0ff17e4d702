import {
  type CallHook,
  InMemoryRateLimiter,
  LimitError,
  type McpServer,
  type RateLimiter,
  Type,
} from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { openRawClient, type RawClient, type RawMessage } from '../support/raw-client.js'

type Tool = Parameters<McpServer['catalog']['addTool']>[0]

async function serve(options: Partial<ServerOptions>, ...tools: Tool[]): Promise<McpServer> {
  const logger = pino({ enabled: false })
  const server = await createServer({ name: 'limits', version: '1', controllers: [], logger, ...options })
  for (const tool of tools) server.catalog.addTool(tool)
  return server
}

/** Handlers that run until they are released, even if their calls have ended. */
class Stubborn {
  running = 0
  most = 0
  readonly #ends: (() => void)[] = []

  readonly run = (): Promise<string> => {
    this.most = Math.max(this.most, ++this.running)
    return new Promise((resolve) => {
      this.#ends.push(() => {
        this.running--
        resolve('ended')
      })
    })
  }

  /** Resolves after pending promise callbacks have run. */
  async endAll(): Promise<void> {
    for (const end of this.#ends.splice(0)) end()
    await deferred()
  }
}

function deferred(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

const callOf = (client: RawClient, name: string, params: object = {}, capabilities: object = {}): Promise<RawMessage> =>
  client.modern('tools/call', { name, ...params }, capabilities)

const atMostOne = { code: -32603, message: "Tool 'slow': at most 1 at once. Try again in 1 s" }

describe('maxConcurrent of a tool', () => {
  it('limits running handlers, including those of timed-out calls', async () => {
    const stubborn = new Stubborn()
    const server = await serve({}, { name: 'slow', maxConcurrent: 1, timeoutMs: 10, handler: stubborn.run })
    await using client = openRawClient(server)
    expect((await callOf(client, 'slow')).result).toMatchObject({ isError: true })
    const answers = [await callOf(client, 'slow'), await callOf(client, 'slow')]
    expect(answers).toMatchObject([{ error: atMostOne }, { error: atMostOne }])
    expect([stubborn.running, stubborn.most]).toEqual([1, 1])
    await stubborn.endAll()
    expect((await callOf(client, 'slow')).result).toMatchObject({ isError: true })
    expect(stubborn.most).toBe(1)
    await stubborn.endAll()
  })

  it('limits running handlers, including those of cancelled calls', async () => {
    const stubborn = new Stubborn()
    const server = await serve({}, { name: 'slow', maxConcurrent: 1, handler: stubborn.run })
    await using client = openRawClient(server)
    void callOf(client, 'slow')
    await deferred()
    client.notify('notifications/cancelled', { requestId: 1 })
    await deferred()
    expect(await callOf(client, 'slow')).toMatchObject({ error: atMostOne })
    await stubborn.endAll()
    const answer = callOf(client, 'slow')
    await deferred()
    await stubborn.endAll()
    expect((await answer).result.content[0].text).toBe('ended')
    expect(stubborn.most).toBe(1)
  })

  it('limits running handlers, including those of aborted in-process calls', async () => {
    const stubborn = new Stubborn()
    const server = await serve({}, { name: 'slow', maxConcurrent: 1, handler: stubborn.run })
    const gaveUp = new Error('gave up')
    const giveUp = new AbortController()
    const call = server.callTool('slow', {}, { signal: giveUp.signal })
    giveUp.abort(gaveUp)
    await expect(call).rejects.toBe(gaveUp)
    await expect(server.callTool('slow', {})).rejects.toThrow(atMostOne.message)
    await stubborn.endAll()
    expect(stubborn.most).toBe(1)
  })

  it('limits running handlers, including those of expired tasks', async () => {
    const stubborn = new Stubborn()
    const tool = { name: 'slow', maxConcurrent: 1, timeoutMs: 10, task: 'required', handler: stubborn.run } as const
    const server = await serve({}, tool)
    await using client = openRawClient(server)
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const runTask = async (): Promise<RawMessage> => {
      const { result } = await callOf(client, 'slow', {}, tasks)
      let task: RawMessage
      do {
        // oxlint-disable-next-line no-await-in-loop
        await deferred()
        // oxlint-disable-next-line no-await-in-loop
        task = (await client.modern('tasks/get', { taskId: result.taskId }, tasks)).result
      } while (task.status === 'working')
      return task
    }
    expect(await runTask()).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(await runTask()).toMatchObject({ status: 'failed', error: atMostOne })
    await stubborn.endAll()
    expect(await runTask()).toMatchObject({ status: 'completed' })
    expect(stubborn.most).toBe(1)
    await stubborn.endAll()
    await server.close()
  })

  it('frees its slot when the caller gets the response, even for a thenable result', async () => {
    const maxConcurrent = 1
    const server = await serve(
      { hooks: [{ around: (_call, next) => next() }] },
      { name: 'plain', maxConcurrent, handler: () => 'done' },
      { name: 'fails', maxConcurrent, handler: () => Promise.reject(new Error('no')) },
      { name: 'waits', maxConcurrent, handler: () => deferred() },
      {
        name: 'yields',
        maxConcurrent,
        async *handler() {
          yield { progress: 1 }
          await deferred()
        },
      },
    )
    await using client = openRawClient(server)
    for (const name of ['plain', 'fails', 'waits', 'yields']) {
      for (let time = 0; time < 3; time++) {
        // oxlint-disable-next-line no-await-in-loop
        expect(await callOf(client, name)).toHaveProperty('result')
        // oxlint-disable-next-line no-await-in-loop
        expect(await server.callTool(name, {})).toHaveProperty('content')
      }
    }
  })

  it('frees its slot between the rounds of a call', async () => {
    const schema = Type.Object({ ok: Type.Boolean() })
    const server = await serve(
      {},
      {
        name: 'asks',
        maxConcurrent: 1,
        handler: async (_args, context) => (await context.elicit({ key: 'sure', message: 'Sure?', schema })).action,
      },
    )
    await using client = openRawClient(server)
    const asked = await callOf(client, 'asks', {}, { elicitation: {} })
    expect(asked.result.resultType).toBe('input_required')
    const { requestState } = asked.result
    const inputResponses = { sure: { action: 'decline' } }
    const answered = await callOf(client, 'asks', { requestState, inputResponses }, { elicitation: {} })
    expect(answered.result.content[0].text).toBe('decline')
  })

  it('calls `then` of a thenable result once', async () => {
    let asked = 0
    // oxlint-disable-next-line unicorn/no-thenable
    const query = { then: (resolve: (rows: string) => void) => resolve(`rows of query ${++asked}`) }
    const server = await serve({}, { name: 'find', maxConcurrent: 1, handler: () => query })
    expect(await server.callTool('find', {})).toMatchObject({ content: [{ text: 'rows of query 1' }] })
  })
})

test('a result over the limit is counted in metrics, although hooks observe a success', async () => {
  const large = { name: 'large', handler: () => 'x'.repeat(2000) }
  const server = await serve({ limits: { maxResultBytes: 1000 } }, large)
  const { result } = await callOf(openRawClient(server), 'large')

  expect(result).toMatchObject({ isError: true })
  expect(await server.callTool('large')).toMatchObject({ isError: true })
  expect(server.metrics().oversizedResults).toBe(2)
  await server.close()
})

test('a result may be as large as the limit, but not one byte larger', async () => {
  const server = await serve({ limits: { maxResultBytes: 1000 } })
  const input = Type.Object({ length: Type.Integer() })
  server.catalog.addTool({ name: 'sized', input, handler: ({ length }) => 'x'.repeat(length) })
  await using client = openRawClient(server)
  await client.initialize('2025-11-25')
  const isRejected = async (length: number): Promise<boolean> =>
    (await client.request('tools/call', { name: 'sized', arguments: { length } })).result.isError === true
  const around = '"content":[{"type":"text","text":""}]'.length

  expect(await Promise.all([1000 - around, 1001 - around].map(isRejected))).toEqual([false, true])
})

test('a tool can have its own result limit, below or above that of the server', async () => {
  const server = await serve({ limits: { maxResultBytes: 2000 } })
  const handler = ({ length }: { length: number }): string => 'x'.repeat(length)
  const input = Type.Object({ length: Type.Integer() })
  server.catalog.addTool({ name: 'small', input, handler, maxResultBytes: 1000 })
  server.catalog.addTool({ name: 'large', input, handler, maxResultBytes: 3000 })
  const call = async (name: string, length: number): Promise<unknown> => {
    const results = [
      await callOf(client, name, { arguments: { length } }),
      { result: await server.callTool(name, { length }) },
    ]
    return results.map(({ result }) => (result.isError === true ? result.content[0].text : 'fits'))
  }
  await using client = openRawClient(server)

  expect(await call('small', 900)).toEqual(['fits', 'fits'])
  expect(await call('small', 1000)).toEqual([
    "Tool 'small' returned more than 1000 bytes. Ask for less.",
    "Tool 'small' returned more than 1000 bytes. Ask for less.",
  ])
  expect(await call('large', 2900)).toEqual(['fits', 'fits'])
})

test('retryAfterMs does not exceed the window of a rate limit when the clock was set back', async () => {
  const server = await serve({ rateLimit: { calls: 1, windowMs: 60_000 } })
  await using client = openRawClient(server)
  await client.request('ping')
  const now = Date.now() - 3_600_000
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now)

  expect(await client.request('ping')).toMatchObject({ error: { data: { retryAfterMs: 60_000 } } })
  clock.mockRestore()
})

describe('a failing logger', () => {
  const logger = pino({ level: 'debug' }, { write: () => raise('no space left on the disk') })
  const call = (server: McpServer, name: string): Promise<RawMessage> => callOf(openRawClient(server), name)

  it('does not leak slots of a limit', async () => {
    let now = performance.now()
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
    const stubborn = new Stubborn()
    const server = await serve({ logger }, { name: 'slow', maxConcurrent: 1, handler: stubborn.run })
    const first = call(server, 'slow')
    await deferred()
    expect(await call(server, 'slow')).toMatchObject({ error: atMostOne })
    await stubborn.endAll()
    expect(await first).toHaveProperty('result')
    now += 10_000
    // Makes the server log that the limit is no longer exceeded.
    const second = call(server, 'slow')
    await deferred()
    await stubborn.endAll()
    expect(await second).toHaveProperty('result')
    const third = call(server, 'slow')
    await deferred()
    await stubborn.endAll()
    expect(await third).toHaveProperty('result')
    clock.mockRestore()
    await server.close()
  })

  it('does not affect calls after a store has recovered', async () => {
    const take = jest.fn<number, []>(() => 0).mockImplementationOnce(() => raise('no connection'))
    const server = await serve({ logger, rateLimiter: { take }, rateLimit: { calls: 5, windowMs: 1000 } })
    server.catalog.addTool({ name: 'quick', handler: () => 'done' })

    expect(await call(server, 'quick')).toHaveProperty('error')
    expect(await call(server, 'quick')).toHaveProperty('result')
    await server.close()
  })

  it('does not affect the error for a result that is too large', async () => {
    const server = await serve({ logger, limits: { maxResultBytes: 1000 } })
    server.catalog.addTool({ name: 'large', handler: () => 'x'.repeat(2000) })
    server.catalog.addResource({ uri: 'large://it', name: 'large', handler: () => 'x'.repeat(2000) })

    expect(await call(server, 'large')).toMatchObject({ result: { isError: true } })
    await expect(server.readResource('large://it')).rejects.toThrow('returned more than 1000 bytes')
    await server.close()
  })
})

function raise(message: string): never {
  throw new Error(message)
}

describe('a rate limiter', () => {
  const limits = { storeTimeoutMs: 20 }
  const limit = { calls: 5, windowMs: 1000 }
  const cannotCount = { code: -32603, message: 'The rate limiter is temporarily unavailable. Try again in 1 s' }
  const hanging: RateLimiter = { take: () => new Promise(() => undefined) }

  it('that hangs times out, and the timeout is logged', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
    const quick: Tool = { name: 'quick', description: 'Is quick', handler: () => 'done', rateLimit: limit }
    const server = await serve({ rateLimiter: hanging, limits, logger }, quick)
    await using client = openRawClient(server)
    expect(await callOf(client, 'quick')).toMatchObject({ error: cannotCount })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'the rate limiter fails: clients are asked to retry',
      err: { message: 'it did not settle within 20 ms' },
    })
    expect(lines).toHaveLength(1)
  })

  it('that fails is logged once, and its recovery is logged once', async () => {
    const lines: string[] = []
    const logger = pino({}, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
    let isGone = true
    const take = (): number => {
      if (isGone) throw new Error('no connection')
      return 0
    }
    const quick: Tool = { name: 'quick', description: 'Is quick', handler: () => 'done', rateLimit: limit }
    const server = await serve({ rateLimiter: { take }, rateLimit: limit, logger }, quick)
    await using client = openRawClient(server)
    for (let call = 0; call < 10; call++) expect(await callOf(client, 'quick')).toMatchObject({ error: cannotCount })
    isGone = false
    expect(await callOf(client, 'quick')).toHaveProperty('result')

    expect(lines).toEqual(['the rate limiter fails: clients are asked to retry', 'the rate limiter has recovered'])
  })

  it('that hangs does not delay other requests', async () => {
    const server = await serve({ rateLimiter: hanging, rateLimit: limit, limits })
    await using client = openRawClient(server)
    expect(await client.modern('tools/list', {})).toMatchObject({ error: cannotCount })
    expect(await client.request('ping')).toMatchObject({ error: cannotCount })
  })

  it('distinguishes callers whose long names share a prefix', async () => {
    const server = await serve({ rateLimit: { calls: 1, windowMs: 60_000 } })
    const subject = 'x'.repeat(1000)
    const ask = async (name: string): Promise<RawMessage> => {
      await using client = openRawClient(server, { subject: name, roles: [], scopes: [], claims: {} })
      return await client.request('ping')
    }
    expect(await ask(`${subject}1`)).toHaveProperty('result')
    expect(await ask(`${subject}2`)).toHaveProperty('result')
    expect(await ask(`${subject}1`)).toHaveProperty('error.data.retryAfterMs')
  })
})

describe('infinite timeouts, and timeouts longer than a timer can measure,', () => {
  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  const schema = Type.Object({ ok: Type.Boolean() })
  const asks: Tool = {
    name: 'asks',
    handler: async (_args, context) => (await context.elicit({ key: 'sure', message: 'Sure?', schema })).action,
  }

  it.each([Infinity, 2 ** 31])('give a client any time to answer: %p', async (clientRequestTimeoutMs) => {
    const server = await serve({ limits: { clientRequestTimeoutMs } }, asks)
    await using client = openRawClient(server)
    await client.initialize('2025-11-25', { elicitation: {} })
    const answer = client.request('tools/call', { name: 'asks' })
    const { id } = await client.next()
    await after(20)
    client.send({ jsonrpc: '2.0', id, result: { action: 'decline' } })
    expect((await answer).result.content[0].text).toBe('decline')
  })

  it.each([Infinity, 2 ** 31])('give a client any time before the next round: %p', async (ttlMs) => {
    const tool: Tool = {
      name: 'asks_twice',
      handler: async (args, context) => {
        await context.step('once', () => 'done')
        return asks.handler(args, context)
      },
    }
    const server = await serve({ requestState: { ttlMs } }, tool)
    await using client = openRawClient(server)
    const { result } = await callOf(client, 'asks_twice', {}, { elicitation: {} })
    const { requestState } = result
    expect(requestState).toEqual(expect.any(String))
    const inputResponses = { sure: { action: 'decline' } }
    const answered = await callOf(client, 'asks_twice', { requestState, inputResponses }, { elicitation: {} })
    expect(answered.result?.content[0].text).toBe('decline')
  })

  it.each([Infinity, 2 ** 31])('give a rate limiter any time: %p', async (storeTimeoutMs) => {
    const rateLimiter: RateLimiter = { take: () => after(20).then(() => 0) }
    const server = await serve({ rateLimiter, rateLimit: { calls: 1, windowMs: 1000 }, limits: { storeTimeoutMs } })
    await using client = openRawClient(server)
    expect(await client.request('ping')).toHaveProperty('result')
  })
})

it.each([
  ['resources/read', { uri: 'notes://large' }, "Resource 'notes://large'"],
  ['prompts/get', { name: 'large' }, "Prompt 'large'"],
])('a result of %s over the limit is not sent', async (method, params, what) => {
  const server = await serve({ limits: { maxResultBytes: 10_000 } })
  server.catalog.addResource({ uri: 'notes://large', name: 'large', handler: () => 'é'.repeat(5000) })
  server.catalog.addPrompt({ name: 'large', handler: () => 'é'.repeat(5000) })
  await using client = openRawClient(server)
  expect((await client.request(method, params)).error).toEqual({
    code: -32603,
    message: `${what} returned more than 10000 bytes. Ask for less`,
  })
  expect(server.metrics().oversizedResults).toBe(1)
})

it('a hook can count calls by its own key, over all tools that use it', async () => {
  const limiter = new InMemoryRateLimiter()
  const perTenant: CallHook = {
    async onInvoking({ context }) {
      const waitMs = await limiter.take(String(context.principal?.claims['tenant']), { calls: 2, windowMs: 60_000 })
      if (waitMs > 0) throw new LimitError('rateLimited', 'Your company calls too often', waitMs)
    },
  }
  const handler = (): string => 'done'
  const server = await serve({ hooks: [perTenant] }, { name: 'read', handler }, { name: 'write', handler })
  const callAs = (subject: string, tenant: string, tool: string) =>
    server.callTool(tool, {}, { principal: { subject, claims: { tenant } } })

  await callAs('ada', 'first', 'read')
  await callAs('bob', 'first', 'write')

  await expect(callAs('cy', 'first', 'read')).rejects.toThrow('Your company calls too often. Try again in 60 s')
  expect(await callAs('dan', 'second', 'read')).not.toHaveProperty('isError')
})
