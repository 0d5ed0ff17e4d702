import { McpPrompt, McpTool, type Static, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { modernVersion, speakTo } from '../../protocol/client.js'

const ById = Type.Object({ id: Type.Integer() }, { additionalProperties: false })
const ByName = Type.Object({ name: Type.String(), exact: Type.Boolean({ default: true }) })
const Either = Type.Union([ById, ByName])
const Both = Type.Intersect([Type.Object({ a: Type.Number() }), Type.Object({ b: Type.Number({ default: 2 }) })])
const Expression = Type.Cyclic(
  {
    Expression: Type.Object({
      op: Type.Enum(['add', 'mul']),
      args: Type.Array(Type.Union([Type.Number(), Type.Ref('Expression')])),
    }),
  },
  'Expression',
)
const Counts = Type.Record(Type.String(), Type.Integer())
const Given = Type.Unsafe<{ a: string }>({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })

class Tools {
  @McpTool({ description: 'Finds', input: Either })
  find(either: Static<typeof Either>): string {
    return JSON.stringify(either)
  }

  @McpTool({ description: 'Adds', input: Both })
  add(both: { a: number; b: number }): string {
    return JSON.stringify(both)
  }

  @McpTool({ description: 'Evaluates', input: Expression })
  evaluate(expression: Static<typeof Expression>): string {
    return JSON.stringify(expression)
  }

  @McpTool({ description: 'Counts', input: Counts })
  count(counts: Record<string, number>): string {
    return JSON.stringify(counts)
  }

  @McpTool({ description: 'Takes', input: Given })
  take(given: { a: string }): string {
    return JSON.stringify(given)
  }

  @McpPrompt({ description: 'Asks', input: Either })
  ask(either: Static<typeof Either>): string {
    return JSON.stringify(either)
  }
}

async function open() {
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'either', version: '1.0.0', controllers: [Tools], logger })
  return { server, client: await speakTo(server, modernVersion) }
}

describe('an input schema of alternatives, parts or references', () => {
  test('is listed as an object', async () => {
    const { server, client } = await open()
    const { tools } = (await client.request('tools/list')).result
    const byName = new Map<string, { inputSchema: object }>(tools.map((tool: { name: string }) => [tool.name, tool]))
    const schemaOf = (name: string) => byName.get(name)?.inputSchema

    expect([...byName.values()].map(({ inputSchema }) => inputSchema)).toMatchObject(
      Array.from({ length: 5 }, () => ({ type: 'object' })),
    )
    expect(schemaOf('find')).toHaveProperty('anyOf')
    expect(schemaOf('add')).toMatchObject({ allOf: [{ required: ['a'] }, { properties: { b: { default: 2 } } }] })
    expect(schemaOf('evaluate')).toMatchObject({ $ref: '#/$defs/Expression' })
    expect(String(server.explain())).toContain('id, name, exact')
    await server.close()
  })

  test.each([
    ['find', { id: 1 }, { id: 1 }],
    ['find', { name: 'a', exact: false }, { name: 'a', exact: false }],
    ['add', { a: 1 }, { a: 1, b: 2 }],
    ['evaluate', { op: 'add', args: [1, { op: 'mul', args: [] }] }, { op: 'add', args: [1, { op: 'mul', args: [] }] }],
    ['count', { x: 1 }, { x: 1 }],
    ['take', { a: '' }, { a: '' }],
  ])('%s accepts %j', async (name, args, given) => {
    const { server } = await open()
    const { content } = await server.callTool(name, args)

    expect(content).toEqual([{ type: 'text', text: JSON.stringify(given) }])
    await server.close()
  })

  test.each([
    ['find', { id: 'x' }],
    ['add', { b: 1 }],
    ['evaluate', { op: 'add', args: [{ op: 'sub', args: [] }] }],
    ['count', { x: '1' }],
    ['take', {}],
  ])('%s rejects %j', async (name, args) => {
    const { server } = await open()
    const { isError, content } = await server.callTool(name, args)

    expect(isError).toBe(true)
    expect(content).toMatchObject([{ text: expect.stringContaining('Invalid arguments') }])
    await server.close()
  })

  test('lists the arguments of a prompt, and converts them', async () => {
    const { server, client } = await open()
    const [prompt] = (await client.request('prompts/list')).result.prompts
    const { result } = await client.request('prompts/get', { name: 'ask', arguments: { id: '7' } })

    expect(prompt.arguments).toEqual([
      { name: 'id', required: false },
      { name: 'name', required: false },
      { name: 'exact', required: false },
    ])
    expect(result.messages).toMatchObject([{ content: { text: '{"id":7}' } }])
    await server.close()
  })
})

test('an enum is listed with the type of its values', async () => {
  enum Level {
    Low,
    High,
  }
  enum Color {
    Red = 'red',
    Blue = 'blue',
  }
  const logger = pino({ level: 'silent' })
  const server = await createServer({ name: 'enums', version: '1.0.0', controllers: [], logger })
  const input = Type.Object({
    words: Type.Enum(['a', 'b']),
    level: Type.Enum(Level),
    color: Type.Optional(Type.Array(Type.Enum(Color))),
    own: Type.Enum([1, 2], { type: 'integer' }),
    mixed: Type.Enum(['a', 1]),
  })
  server.catalog.addTool({ name: 'paint', description: 'Paints', input, handler: () => '' })

  expect(server.catalog.tools.get('paint')?.input.wire['properties']).toEqual({
    words: { type: 'string', enum: ['a', 'b'] },
    level: { type: 'number', enum: [0, 1] },
    color: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
    own: { type: 'integer', enum: [1, 2] },
    mixed: { enum: ['a', 1] },
  })
  await server.close()
})
