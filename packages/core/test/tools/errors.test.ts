import { InvalidParamsError, McpTool, ProtocolError, type Static, ToolError, Type } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { processorMs } from '../../../../test/support/processor-time.js'

const AddInput = Type.Object({ a: Type.Number(), unit: Type.Optional(Type.Enum(['m', 'ft'], { type: 'string' })) })

class FailingTools {
  @McpTool({ description: 'Adds', input: AddInput })
  add({ a }: Static<typeof AddInput>): string {
    return `added ${a}`
  }

  @McpTool({ description: 'Fails' })
  reject(): never {
    throw new ToolError('The divisor is 0. Choose another one.')
  }

  @McpTool({ description: 'Fails' })
  async rejectLater(): Promise<void> {
    await Promise.reject(new ToolError('Not on Sundays.'))
  }

  @McpTool({ description: 'Fails' })
  misread(): never {
    throw new InvalidParamsError('"from" is after "to"')
  }

  @McpTool({ description: 'Fails' })
  crash(): never {
    throw new Error('password=hunter2')
  }

  @McpTool({ description: 'Fails' })
  async crashLater(): Promise<void> {
    await Promise.reject(new Error('password=hunter2'))
  }

  @McpTool({ description: 'Fails' })
  throwText(): never {
    // oxlint-disable-next-line typescript/only-throw-error
    throw 'password=hunter2'
  }

  @McpTool({ description: 'Adds', output: Type.Object({ sum: Type.Number() }) })
  breakPromise(): { sum: number } {
    return { sum: 'password=hunter2' as unknown as number }
  }
}

/** The log lines of a server with the failing tools. */
function logged() {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { lines, options: { ...options, logger } }
}

const options: ServerOptions = { name: 'failing', version: '1.0.0', controllers: [FailingTools] }

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

describe.each(lanes)('a server over $lane, $era', (lane) => {
  const always =
    lane.era === 'modern'
      ? { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'failing', version: '1.0.0' } } }
      : {}
  const errorResult = (text: unknown) => ({ content: [{ type: 'text', text }], isError: true, ...always })

  it('returns all invalid arguments to the model', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    expect(await client.callTool({ name: 'add', arguments: { a: 'one' } })).toEqual(
      errorResult("Invalid arguments for tool 'add': 'a' must be a number, got a string."),
    )
    expect(await client.callTool({ name: 'add', arguments: { unit: 'yd' } })).toEqual(
      errorResult(`Invalid arguments for tool 'add': missing required argument 'a'; 'unit' must be one of "m", "ft".`),
    )
    expect(await client.callTool({ name: 'add', arguments: { a: 1, unit: 'm' } })).not.toHaveProperty('isError')
  })

  it('rejects an unknown tool with suggestions of similar names', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    await expect(client.callTool({ name: 'reject_latr' })).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown tool: reject_latr',
      data: { suggestions: ['reject_later'] },
    })
    const unlike = client.callTool({ name: 'something_else' })
    await expect(unlike).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: something_else' })
    await expect(unlike).rejects.not.toHaveProperty('data', expect.anything())
  })

  it('passes the text of a ToolError to the model', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    expect(await client.callTool({ name: 'reject' })).toEqual(errorResult('The divisor is 0. Choose another one.'))
    expect(await client.callTool({ name: 'reject_later' })).toEqual(errorResult('Not on Sundays.'))
  })

  it('turns an InvalidParamsError into a protocol error', async () => {
    await using connection = await connect(options, lane)
    await expect(connection.client.callTool({ name: 'misread' })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params',
      data: { detail: '"from" is after "to"' },
    })
  })

  it.each(['crash', 'crash_later', 'throw_text', 'break_promise'])(
    'logs the text of an unexpected error, under the id that the client gets (%s)',
    async (name) => {
      const { lines, options: logging } = logged()
      await using connection = await connect(logging, lane)
      const failed = await connection.client.callTool({ name })
      const { text } = failed.content[0] as { text: string }
      const told = new RegExp(
        `^Tool '${name}' failed. The cause is in the server's log \\(request (\\d+), error (${uuid})\\).$`,
      )
      expect(failed).toEqual(errorResult(expect.stringMatching(told)))
      const [, requestId, errorId] = told.exec(text) ?? []
      expect(lines).toEqual([expect.objectContaining({ level: 50, errorId, msg: `Tool '${name}' failed` })])
      expect(JSON.stringify(lines)).toContain(name === 'break_promise' ? "'sum' must be a number" : 'password=hunter2')
      expect(requestId).toBe(String(lines[0]?.['requestId']))
    },
  )

  it('sends the text of unexpected errors during development', async () => {
    await using connection = await connect({ ...options, exposeErrors: true }, lane)
    const told = `^Tool 'crash' failed: password=hunter2. The cause is in the server's log \\(request \\d+, error ${uuid}\\).$`
    expect(await connection.client.callTool({ name: 'crash' })).toEqual(
      errorResult(expect.stringMatching(new RegExp(told))),
    )
  })

  it('keeps serving after errors', async () => {
    await using connection = await connect(options, lane)
    const { client } = connection
    await Promise.allSettled(['crash', 'misread', 'missing', 'reject'].map((name) => client.callTool({ name })))
    expect(await client.callTool({ name: 'add', arguments: { a: 1 } })).toEqual({
      content: [{ type: 'text', text: 'added 1' }],
      ...always,
    })
  })
})

it('a server never runs a handler with invalid arguments', async () => {
  const seen: unknown[] = []
  class SpyTools {
    @McpTool({ description: 'Adds', input: AddInput })
    add(args: object): void {
      seen.push(args)
    }
  }
  await using connection = await connect({ ...options, controllers: [SpyTools] })
  await connection.client.callTool({ name: 'add', arguments: { a: null } })
  expect(seen).toEqual([])
})

it.each(['2025-06-18', '2025-03-26', '2024-11-05'])(
  'a server rejects invalid arguments with a protocol error in %s',
  async (version) => {
    await using connection = await connect(options, { era: 'legacy', client: { supportedProtocolVersions: [version] } })
    await expect(connection.client.callTool({ name: 'add', arguments: { a: 'one' } })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params',
      data: { detail: "Invalid arguments for tool 'add': 'a' must be a number, got a string." },
    })
  },
)

it('a server suggests at most three names, the nearest first, and no distant ones', async () => {
  await using connection = await connect({ ...options, controllers: [] })
  const { client, server } = connection
  for (const name of ['read_d', 'read_bc', 'read_a', 'read_c', 'write']) {
    server.catalog.addTool({ name, description: 'Fails', handler: () => undefined })
  }
  const suggestions = async (name: string): Promise<unknown> => {
    const error: unknown = await client.callTool({ name }).catch((thrown: unknown) => thrown)
    return (error as { data?: object }).data
  }
  expect(await suggestions('read_b')).toEqual({ suggestions: ['read_a', 'read_bc', 'read_c'] })
  expect(await suggestions('read_cde')).toEqual({ suggestions: ['read_c', 'read_d', 'read_a'] })
  expect(await suggestions('write_it')).toEqual({ suggestions: ['write'] })
  expect(await suggestions('WRITE')).toEqual({ suggestions: ['write'] })
  expect(await suggestions('write_its')).toBeUndefined()
  expect(await suggestions('wabcd')).toBeUndefined()
})

function circle(): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  data['self'] = data
  return data
}

it.each([
  ['BigInt', { n: 1n }],
  ['a circular object', circle()],
  ['a huge object', { text: 'x'.repeat(5000) }],
])('a server omits the data of an error if the data is %s', async (_what, data) => {
  await using connection = await connect({ ...options, controllers: [] })
  const { client, server } = connection
  const handler = (): never => {
    throw new ProtocolError('invalidParams', 'No', data)
  }
  server.catalog.addTool({ name: 'fails', description: 'Fails', handler })
  const error: unknown = await client.callTool({ name: 'fails' }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: -32602, message: 'No', data: undefined })
})

it('a server compares an unknown name with a limited number of others', async () => {
  await using connection = await connect({ ...options, controllers: [] })
  const { client, server } = connection
  const long = 'x'.repeat(110)
  for (let index = 0; index < 3000; index++) server.catalog.addTool({ name: `${long}_${index}`, handler: () => '' })
  const ask = (name: string): Promise<unknown> => client.callTool({ name }).catch(() => undefined)
  await ask('unknown')
  expect(await processorMs(() => ask(`${long}_none`))).toBeLessThan(200)
})
