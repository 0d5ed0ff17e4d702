import { type JsonObject, type McpServer, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

const pattern = '^(.*)-(.*)!$'

const plain = {
  type: 'object',
  properties: {
    code: { type: 'string', maxLength: 100, pattern },
    count: { type: 'integer' },
    unit: { const: 'm' },
    lines: { type: 'array', items: { type: 'string', minLength: 2 } },
  },
  additionalProperties: false,
}

const typed = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 100, pattern })),
    count: Type.Optional(Type.Integer()),
    unit: Type.Optional(Type.Literal('m')),
    lines: Type.Optional(Type.Array(Type.String({ minLength: 2 }))),
  },
  { additionalProperties: false },
)

/** The same schema from TypeBox, and as plain JSON Schema of either dialect. */
async function open(): Promise<McpServer> {
  const server = await createServer({ name: 'faults', version: '1.0.0', controllers: [] })
  const handler = (): string => 'taken'
  const older = { $schema: 'http://json-schema.org/draft-07/schema#', ...plain }
  server.catalog.addTool({ name: 'typed', input: typed, handler })
  server.catalog.addTool({ name: 'plain', inputSchema: plain, handler })
  server.catalog.addTool({ name: 'older', inputSchema: older, handler })
  return server
}

/** The error text for the model. */
async function whatIsWrong(tool: string, args: JsonObject): Promise<string> {
  const { content } = await (await open()).callTool(tool, args)
  const [block] = content as readonly { readonly text: string }[]
  return String(block?.text).replace(`Invalid arguments for tool '${tool}': `, '')
}

describe.each(['typed', 'plain', 'older'])('validation errors of arguments: %s', (tool) => {
  it('are all reported at once, so that a model can correct them in one retry', async () => {
    const said = await whatIsWrong(tool, { code: 'x', count: 'two', lines: ['ab', 'a'], more: 1 })

    for (const place of ["'code' must", "'count' must", "'lines/1' must", "unknown argument 'more'"])
      expect(said).toContain(place)
  })

  it('contain the only allowed value', async () => {
    expect(await whatIsWrong(tool, { unit: 'ft' })).toBe('\'unit\' must be "m".')
  })

  it('name null as the wrong value', async () => {
    expect(await whatIsWrong(tool, { count: null })).toBe("'count' must be an integer, got null.")
  })

  it('omit the pattern for a string that is too long, because matching could take minutes', async () => {
    expect(await whatIsWrong(tool, { code: '-'.repeat(2000) })).toBe("'code' must be at most 100 characters long.")
  })

  it('contain the pattern for a string within its maximum length', async () => {
    expect(await whatIsWrong(tool, { code: '😀'.repeat(100) })).toBe(`'code' must match the pattern "${pattern}".`)
  })
})

const kilobyte = 'x'.repeat(1024)

describe.each(['typed', 'plain'])('validation errors of long arguments: %s', (tool) => {
  const most = 1000

  // The object, its count and its list are parts, too.
  it.each([
    ['items', (parts: number) => Array<string>(parts - 3).fill('ab')],
    ['numbers', (parts: number) => Array<number>(parts - 3).fill(1)],
    ['kilobytes of text', (parts: number) => [kilobyte.repeat(parts - 4)]],
  ])('are all reported up to a number of %s, and only the first beyond it', async (_what, linesOf) => {
    const errorsOf = async (parts: number): Promise<number> => {
      const said = await whatIsWrong(tool, { count: 'two', unit: [], lines: linesOf(parts - 1) })
      return ["'count' must", "'unit' must"].filter((fault) => said.includes(fault)).length
    }

    expect(await errorsOf(most)).toBe(2)
    expect(await errorsOf(most + 1)).toBe(1)
  })
})

it('a JavaScript regular expression is listed as a string, and checked', async () => {
  const server = await createServer({ name: 'faults', version: '1.0.0', controllers: [] })
  const input = Type.Object({
    code: Type.String({ pattern: /^a+$/ }),
    short: Type.String({ maxLength: 5, pattern: /^b+$/u }),
    lines: Type.Array(Type.String(), { uniqueItems: true }),
  })
  server.catalog.addTool({ name: 'find', input, handler: () => 'found' })

  const [tool] = await server.listTools()
  expect(tool?.inputSchema).toHaveProperty('properties.code', { type: 'string', pattern: '^a+$' })
  expect(tool?.inputSchema).toHaveProperty('properties.short', { type: 'string', maxLength: 5, pattern: '^b+$' })
  const { content } = await server.callTool('find', { code: 'x', short: 'y', lines: [] })
  expect(JSON.stringify(content)).toContain("'code' must match the pattern")
  expect(JSON.stringify(content)).toContain(String.raw`'short' must match the pattern \"^b+$\"`)
  expect(await server.callTool('find', { code: 'a', short: 'b', lines: [] })).not.toHaveProperty('isError')
})
