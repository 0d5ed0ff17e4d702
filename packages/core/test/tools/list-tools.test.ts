import type { Client } from '@modelcontextprotocol/client'
import { McpController, McpTool, Model, type Static, Type } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'

const AddInput = Type.Object({
  a: Type.Number({ description: 'First number' }),
  b: Type.Number({ description: 'Second number' }),
})
const AddOutput = Type.Object({ sum: Type.Number() })

class Greeting extends Model(Type.Object({ name: Type.String(), loud: Type.Optional(Type.Boolean()) })) {}
class Greeted extends Model(Type.Object({ text: Type.String() })) {}

class CalculatorTools {
  @McpTool('add_numbers', {
    title: 'Add Numbers',
    description: 'Adds two numbers',
    icons: [{ src: 'https://example.com/add.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'light' }],
    annotations: { readOnlyHint: true, idempotentHint: true },
    _meta: { 'example.com/category': 'arithmetic' },
    input: AddInput,
    output: AddOutput,
  })
  add({ a, b }: Static<typeof AddInput>): Static<typeof AddOutput> {
    return { sum: a + b }
  }

  @McpTool({ output: Type.Array(Type.String()) })
  listOperators(): string[] {
    return ['+']
  }
}

@McpController()
class GreetingTools {
  @McpTool()
  greet({ name }: Greeting): Greeted {
    return { text: `Hello, ${name}!` }
  }

  @McpTool({
    inputSchema: { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } },
  })
  raw(): void {}
}

class LetterTools {
  @McpTool()
  d(): void {}
  @McpTool()
  b(): void {}
  @McpTool()
  e(): void {}
  @McpTool()
  a(): void {}
  @McpTool()
  c(): void {}
}

const options: ServerOptions = { name: 'lists', version: '1.0.0', controllers: [GreetingTools, CalculatorTools] }
const letters: ServerOptions = { name: 'lists', version: '1.0.0', controllers: [LetterTools], pageSize: 2 }

const addNumbers = {
  name: 'add_numbers',
  title: 'Add Numbers',
  description: 'Adds two numbers',
  icons: [{ src: 'https://example.com/add.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'light' }],
  annotations: { readOnlyHint: true, idempotentHint: true },
  _meta: { 'example.com/category': 'arithmetic' },
  inputSchema: {
    type: 'object',
    required: ['a', 'b'],
    properties: {
      a: { type: 'number', description: 'First number' },
      b: { type: 'number', description: 'Second number' },
    },
  },
  outputSchema: { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } },
}
const greet = {
  name: 'greet',
  inputSchema: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, loud: { type: 'boolean' } },
  },
  outputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
}
const listOperators = {
  name: 'list_operators',
  inputSchema: { type: 'object', additionalProperties: false },
  outputSchema: { type: 'array', items: { type: 'string' } },
}
const raw = {
  name: 'raw',
  inputSchema: { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } },
}

function listPage(client: Client, cursor?: string) {
  return client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } })
}

describe.each(lanes)('tools/list over $lane, $era', (lane) => {
  const isModern = lane.era === 'modern'

  it('lists every tool with the options of its decorator, ordered by name', async () => {
    await using connection = await connect(options, lane)
    const { outputSchema: _notAnObject, ...withoutOutput } = listOperators
    const modernMembers = {
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'lists', version: '1.0.0' } },
    }
    expect(await connection.client.listTools()).toEqual({
      tools: [addNumbers, greet, isModern ? listOperators : withoutOutput, raw],
      ...(isModern ? modernMembers : {}),
    })
  })

  it('splits a long list into pages that are linked by cursors', async () => {
    await using connection = await connect(letters, lane)
    const { client } = connection
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await listPage(client, cursor)
      pages.push(page.tools.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    // Without a cursor, the official client follows the cursors automatically.
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('has no next cursor on the last page, and none at all for a single page', async () => {
    await using connection = await connect({ ...letters, pageSize: 5 }, lane)
    expect(await listPage(connection.client)).not.toHaveProperty('nextCursor')
  })

  it('rejects a cursor that it did not issue', async () => {
    await using connection = await connect(letters, lane)
    await expect(listPage(connection.client, 'bm90LW91cnM')).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params: unknown cursor. Start again without a cursor',
    })
  })

  it('neither skips nor repeats a tool when the list changes between two pages', async () => {
    await using connection = await connect(letters, lane)
    const { client, server } = connection
    const first = await listPage(client)
    server.catalog.removeTool('b')
    server.catalog.addTool({ name: 'aa', handler: () => undefined })
    const second = await listPage(client, first.nextCursor)
    expect([first, second].map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })
})

it('tools/list sends clients the time for which they may cache a list', async () => {
  await using connection = await connect({ ...letters, cache: { ttlMs: 60_000, cacheScope: 'public' } })
  expect(await listPage(connection.client)).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
})

it('tools/list always has a next cursor for clients that require one', async () => {
  await using connection = await connect({ ...letters, pageSize: 5, compat: { alwaysNextCursor: true } })
  expect(await listPage(connection.client)).toMatchObject({ nextCursor: '' })
})

it.each(['modern', 'legacy'] as const)(
  'tools/list ends for a client of the %s era that follows the last cursor',
  async (era) => {
    const compat = { alwaysNextCursor: true }
    await using connection = await connect({ ...letters, pageSize: 2, compat }, { era })
    expect((await connection.client.listTools()).tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await listPage(connection.client, '')).toMatchObject({ tools: [] })
  },
)

describe('tools/list for clients of an older revision', () => {
  const { icons: _icons, ...withoutIcons } = addNumbers
  const { title, outputSchema: _output, _meta, annotations, ...described } = withoutIcons

  it.each([
    ['2025-06-18', withoutIcons],
    ['2025-03-26', { ...described, annotations: { title, ...annotations } }],
    ['2024-11-05', described],
  ])('contains for %s no newer members', async (version, expected) => {
    const client = { supportedProtocolVersions: [version] }
    await using connection = await connect(options, { era: 'legacy', client })
    const { tools } = await connection.client.listTools()
    expect(tools.find(({ name }) => name === 'add_numbers')).toEqual(expected)
  })
})
