import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { BootError, createServer } from '@toolwright/core'
import { proxy } from '@toolwright/proxy'
import { connect } from '@toolwright/testing'
import { pino } from 'pino'
import { until } from '../../../test/support/until.js'
import { serveFake } from '../../client/test/support/fake-server.js'
import { eras, quiet, serveFront, serveUpstream } from './support/serve.js'
import { waiting, weather } from './support/weather.js'

const portOf = (url: string): number => Number(new URL(url).port)

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createHttpServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const textOf = (result: object): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

describe.each(eras)('an upstream of the %s era', (era) => {
  test('that restarts is used again, and answers without an error in between are those of the new one', async () => {
    const first = await serveUpstream(weather, { era })
    await using front = await serveFront({ up: { url: first.url } })
    await using connection = await connect(front.server)
    const call = () => connection.client.callTool({ name: 'up_forecast', arguments: { city: 'Rome' } })
    expect((await call()).isError).not.toBe(true)
    await first[Symbol.asyncDispose]()
    const failed = await call()
    expect(failed.isError).toBe(true)
    expect(textOf(failed)).toMatch(/^The server 'up' (cannot be reached|closed the connection before its answer)/)
    // The tools stay listed.
    expect((await connection.client.listTools()).tools.length).toBeGreaterThan(5)
    await until(() => !front.source.isHealthy())
    await using second = await serveUpstream(weather, { era, port: portOf(first.url) })
    expect(second.url).toBe(first.url)
    await until(() => front.source.isHealthy())
    expect((await call()).isError).not.toBe(true)
  })

  test('that is down at boot is served as soon as it is up', async () => {
    const port = await freePort()
    await using front = await serveFront({ up: { url: `http://127.0.0.1:${port}/mcp` } })
    expect(front.source.status()).toMatchObject([{ state: 'down', reason: 'cannot be reached.', features: 0 }])
    await using upstream = await serveUpstream(weather, { era, port })
    expect(portOf(upstream.url)).toBe(port)
    await until(() => front.server.catalog.tools.get('up_forecast') !== undefined)
    expect(front.source.status()).toMatchObject([{ state: 'up', reason: null }])
  })

  test('that dies during a call fails the call at once, and the call is not repeated', async () => {
    const upstream = await serveUpstream(weather, { era })
    await using front = await serveFront({ up: { url: upstream.url } })
    await using connection = await connect(front.server)
    const call = connection.client.callTool({ name: 'up_wait' })
    await until(() => waiting.count === 1)
    await upstream[Symbol.asyncDispose]()
    const failed = await call
    expect(textOf(failed)).toMatch(/cannot be reached|not repeated|was stopped/)
    await until(() => waiting.count === 0)
  })

  test('that is down changes nothing for the calls of another', async () => {
    const dying = await serveUpstream(weather, { era })
    await using living = await serveUpstream(weather, { era })
    await using front = await serveFront({ dying: { url: dying.url }, living: { url: living.url } })
    await using connection = await connect(front.server)
    await dying[Symbol.asyncDispose]()
    const call = (name: string) => connection.client.callTool({ name, arguments: { city: 'Rome' } })
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(index % 2 === 0 ? 'living_forecast' : 'dying_forecast')),
    )
    expect(results.map(({ isError }) => isError === true)).toEqual(results.map((_, index) => index % 2 === 1))
  })
})

test.each(eras)(
  'an upstream of the %s era that is killed and started again under load disturbs no others',
  async (era) => {
    const dying = await serveUpstream(weather, { era })
    await using living = await serveUpstream(weather, { era })
    await using front = await serveFront({ dying: { url: dying.url }, living: { url: living.url } })
    await using connection = await connect(front.server)
    const answers: Record<'living' | 'dying', string[]> = { living: [], dying: [] }
    let isOver = false
    const callOn = async (upstream: 'living' | 'dying'): Promise<void> => {
      while (!isOver) {
        // oxlint-disable no-await-in-loop
        const result = await connection.client.callTool({ name: `${upstream}_forecast`, arguments: { city: 'Rome' } })
        answers[upstream].push(result.isError === true ? textOf(result) : 'ok')
        await new Promise(setImmediate)
        // oxlint-enable no-await-in-loop
      }
    }
    const callers = Array.from({ length: 12 }, (_, index) => callOn(index % 3 === 0 ? 'dying' : 'living'))
    /** Waits for further answers of both upstreams. */
    const untilMore = async (isWanted: (answer: string) => boolean): Promise<void> => {
      const from = { living: answers.living.length, dying: answers.dying.length }
      await until(
        () => answers.living.length > from.living + 20 && answers.dying.slice(from.dying).filter(isWanted).length > 10,
      )
    }
    await untilMore((answer) => answer === 'ok')
    await dying[Symbol.asyncDispose]()
    await untilMore((answer) => answer !== 'ok')
    await using _again = await serveUpstream(weather, { era, port: portOf(dying.url) })
    await untilMore((answer) => answer === 'ok')
    isOver = true
    await Promise.all(callers)
    expect(new Set(answers.living)).toEqual(new Set(['ok']))
    for (const answer of new Set(answers.dying))
      expect(answer).toMatch(/^ok$|cannot be reached|not repeated|was stopped/)
  },
)

test('a required upstream that is down prevents the server from starting', async () => {
  const port = await freePort()
  const source = proxy({ up: { url: `http://127.0.0.1:${port}/mcp`, required: true } })
  const failed = await createServer({ name: 'front', ...quiet, sources: [source] }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(BootError)
  expect(String(failed)).toContain("the upstream 'up' is required, but it cannot be reached. Start it first")
})

test('a session that the upstream has forgotten is opened once for all calls that wait', async () => {
  let sessions = 0
  let isRestarted = false
  await using fake = await serveFake(({ method }, response, headers) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    else if (isRestarted && headers['mcp-session-id'] === 'session-1') {
      response.writeHead(404).end()
      return null
    }
    return undefined
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  isRestarted = true
  const calls = Array.from({ length: 10 }, () => connection.client.callTool({ name: 'up_echo' }))
  for (const result of await Promise.all(calls)) expect(textOf(result)).toBe('echoed')
  expect(sessions).toBe(2)
  expect(fake.methods.filter((method) => method === 'tools/list')).toHaveLength(1)
})

test.each([
  [404, '{}', 2, 'echoed'],
  [400, 'Bad Request: No valid session ID provided', 2, 'echoed'],
  [401, 'Unauthorized', 1, "The server 'up' rejects the credentials of this server."],
])('the status %s for a session (%s) leads to %s handshake(s)', async (status, body, handshakes, answer) => {
  let sessions = 0
  await using fake = await serveFake(({ method }, response, headers) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', `session-${++sessions}`)
    else if (method === 'tools/call' && headers['mcp-session-id'] === 'session-1') {
      response.writeHead(status).end(body)
      return null
    }
    return undefined
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  expect(textOf(await connection.client.callTool({ name: 'up_echo' }))).toBe(answer)
  expect(sessions).toBe(handshakes)
  expect(front.source.isHealthy()).toBe(true)
})

test('a list that cannot be read again after a change stays as it was, and the failure is logged', async () => {
  let tools: readonly string[] | null = ['echo']
  await using fake = await serveFake(({ id, method }, response) => {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'fake', version: '1.0.0' },
      }
    if (method === 'tools/list') {
      if (tools !== null) return { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }
      response.writeHead(500).end()
      return null
    }
    if (method !== 'tools/call') return undefined
    const result = { content: [{ type: 'text', text: 'echoed' }] }
    const messages = [{ method: 'notifications/tools/list_changed' }, { id, result }]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`).join(''))
    return null
  })
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await using front = await serveFront({ up: { url: fake.url } }, { logger })
  await using connection = await connect(front.server)
  const echo = () => connection.client.callTool({ name: 'up_echo' })

  tools = null
  await echo()
  await until(() => lines.some((line) => line.includes('the old lists stay')))
  expect(front.server.catalog.tools.all.map(({ name }) => name)).toEqual(['up_echo'])

  tools = ['echo', 'new']
  expect(textOf(await echo())).toBe('echoed')
  await until(() => front.server.catalog.tools.get('up_new') !== undefined)
})

test('an upstream that answers calls is not down because a check takes too long', async () => {
  let checks = 0
  await using fake = await serveFake(({ method, params }, response) => {
    if (method === 'ping') {
      checks++
      return new Promise(() => undefined)
    }
    if (method !== 'tools/call' || params?.['arguments'] === undefined) return undefined
    if (Object.hasOwn(params['arguments'] as object, 'drop')) response.destroy()
    return undefined
  })
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  await using front = await serveFront({ up: { url: fake.url, connectTimeoutMs: 200 } }, { logger })
  await using connection = await connect(front.server)
  const dropped = await connection.client.callTool({ name: 'up_echo', arguments: { drop: true } })
  expect(dropped.isError).toBe(true)
  await until(() => checks === 1)
  await until(async () => {
    expect(textOf(await connection.client.callTool({ name: 'up_echo' }))).toBe('echoed')
    return lines.some((line) => line.includes('is busy'))
  })
  expect(front.source.isHealthy()).toBe(true)
})

test('a request that got no connection from a busy upstream is sent again', async () => {
  const busy = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
  await using fake = await serveFake()
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  const echo = () => connection.client.callTool({ name: 'up_echo' })
  const { fetch: send } = globalThis
  const spy = jest.spyOn(globalThis, 'fetch').mockImplementationOnce(async () => {
    // Another call is answered meanwhile.
    expect(textOf(await echo())).toBe('echoed')
    throw new TypeError('fetch failed', { cause: busy })
  })
  spy.mockImplementation(send)
  try {
    expect(textOf(await echo())).toBe('echoed')
    spy.mockImplementationOnce(async () => Promise.reject(new TypeError('fetch failed', { cause: busy })))
    expect(textOf(await echo())).toBe("The server 'up' cannot be reached.")
  } finally {
    spy.mockRestore()
  }
})

test('a call is not repeated when the upstream fails without a rejection', async () => {
  let calls = 0
  await using fake = await serveFake(({ method }, response) => {
    if (method !== 'tools/call') return undefined
    calls++
    response.writeHead(500).end()
    return null
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  expect((await connection.client.callTool({ name: 'up_echo' })).isError).toBe(true)
  expect(calls).toBe(1)
})

test('an upstream with a list that never ends is limited', async () => {
  let page = 0
  await using fake = await serveFake(({ method }) => {
    if (method !== 'tools/list') return undefined
    const tools = Array.from({ length: 50 }, (_, index) => ({
      name: `tool_${page}_${index}`,
      inputSchema: { type: 'object' },
    }))
    return { tools, nextCursor: String(++page) }
  })
  await using front = await serveFront({ up: { url: fake.url, maxFeatures: 120 } })
  expect(front.server.catalog.tools.all).toHaveLength(120)
  expect(page).toBe(3)
})

test('an upstream that never answers delays the start only by its own timeout', async () => {
  await using fake = await serveFake(() => new Promise(() => undefined))
  await using living = await serveUpstream(weather)
  await using front = await serveFront({
    endless: { url: fake.url, connectTimeoutMs: 50 },
    living: { url: living.url },
  })
  expect(front.source.status()).toMatchObject([
    { name: 'endless', state: 'down' },
    { name: 'living', state: 'up' },
  ])
})

test('malformed features of an upstream are repaired or left out, and the others stay', async () => {
  const schema = { type: 'object' }
  await using fake = await serveFake(({ method }) => {
    if (method !== 'tools/list') return undefined
    return {
      tools: [
        { name: 'good', inputSchema: schema },
        { name: 'bad_output', inputSchema: schema, outputSchema: { type: 'nonsense', $schema: 'http://unknown' } },
        { name: 'dialect', inputSchema: { ...schema, $schema: 'https://json-schema.org/draft/2019-09/schema' } },
        { name: 'dangling', inputSchema: { ...schema, properties: { a: { $ref: '#/$defs/missing' } } } },
        { name: 'name/with spaces:and more', inputSchema: schema },
        { name: 'odd', inputSchema: schema, title: 5, annotations: { readOnlyHint: 'yes', unknown: 1 }, icons: 'none' },
        { name: 'x'.repeat(200), inputSchema: schema },
        { inputSchema: schema },
        'not even an object',
      ],
    }
  })
  await using front = await serveFront({ up: { url: fake.url } })
  await using connection = await connect(front.server)
  const { tools } = await connection.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'up_bad_output',
    'up_dangling',
    'up_dialect',
    'up_good',
    'up_name_with_spaces_and_more',
    'up_odd',
  ])
  expect(textOf(await connection.client.callTool({ name: 'up_name_with_spaces_and_more' }))).toBe('echoed')
  expect(front.source.status()[0]?.leftOut).toHaveLength(2)
})

describe('an upstream over stdio', () => {
  const program = {
    // Starting a program takes long on a busy machine.
    connectTimeoutMs: 60_000,
    command: process.execPath,
    args: ['--import', '@oxc-node/core/register', join(__dirname, 'support', 'program.ts')],
  }

  test('gets only the variables that are named, and ends with the server', async () => {
    process.env['SECRET_OF_THE_FRONT'] = 'secret'
    process.env['NAMED'] = 'given'
    const front = await serveFront({ up: { ...program, env: ['NAMED', 'NODE_OPTIONS'] } })
    const connection = await connect(front.server)
    const names = textOf(await connection.client.callTool({ name: 'up_env' })).split(' ')
    expect(names).toContain('NAMED')
    expect(names).toContain('PATH')
    for (const name of ['SECRET_OF_THE_FRONT', 'HOME', 'USER']) expect(names).not.toContain(name)
    const pid = Number(textOf(await connection.client.callTool({ name: 'up_pid' })))
    await connection.close()
    await front[Symbol.asyncDispose]()
    await until(() => !isRunning(pid))
  })

  test('is started again after a crash', async () => {
    await using front = await serveFront({ up: { ...program, env: ['NODE_OPTIONS'] } })
    await using connection = await connect(front.server)
    const pid = textOf(await connection.client.callTool({ name: 'up_pid' }))
    expect((await connection.client.callTool({ name: 'up_crash' })).isError).toBe(true)
    await until(() => front.source.isHealthy())
    expect(textOf(await connection.client.callTool({ name: 'up_pid' }))).not.toBe(pid)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
