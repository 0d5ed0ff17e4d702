import { listed, result } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'

const base = { name: 'listing', version: '1.0.0', logger: pino({ level: 'silent' }), controllers: [] }

const output = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }

describe.each(lanes)('listed schemas: $lane, $era', (lane) => {
  it('are listed, and check neither arguments nor results', async () => {
    await using connection = await connect(base, lane)
    const { client, server } = connection
    const input = { type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] }
    server.catalog.addTool({
      name: 'pass',
      description: 'Passes values on',
      inputSchema: listed(input),
      outputSchema: listed(output),
      handler: (given) =>
        result({ content: [{ type: 'text', text: JSON.stringify(given) }], structuredContent: { count: 'many' } }),
    })
    const { tools } = await client.listTools()
    expect(tools[0]).toMatchObject({ inputSchema: input, outputSchema: output })
    const answer = await server.callTool('pass', { day: 5, more: true })
    expect(answer).toMatchObject({ content: [{ text: '{"day":5,"more":true}' }], structuredContent: { count: 'many' } })
  })
})

describe('listed schemas', () => {
  it('let results without structured content pass', async () => {
    const server = await createServer(base)
    server.catalog.addTool({
      name: 'pass',
      description: 'Passes values on',
      outputSchema: listed(output),
      handler: () => result({ content: [{ type: 'text', text: 'only text' }] }),
    })
    expect(await server.callTool('pass')).toEqual({ content: [{ type: 'text', text: 'only text' }] })
    await server.close()
  })

  it.each([
    [
      'another dialect',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'object' },
      { type: 'object' },
    ],
    [
      'an invalid value of a keyword',
      { type: 'object', properties: { a: { type: 'text', minLength: 1 }, b: { type: 'string', minLength: -1 } } },
      { type: 'object', properties: { a: { minLength: 1 }, b: { type: 'string' } } },
    ],
    [
      'a reference that leads nowhere',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/missing' }, b: { $ref: '#/$defs/b' } },
        $defs: { b: { type: 'string' } },
      },
      { type: 'object', properties: { a: {}, b: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } },
    ],
    [
      'a reference to another document',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
      { type: 'object', properties: { a: {} } },
    ],
    [
      'an invalid pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    ['a reference to itself', { type: 'object', allOf: [{ $ref: '#' }] }, { type: 'object' }],
    ['a root without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['no object', 'x', { type: 'object' }],
  ])('lose their invalid parts: %s', async (_, schema, expected) => {
    await using connection = await connect(base)
    const { client, server } = connection
    server.catalog.addTool({ name: 'odd', description: 'Odd', inputSchema: listed(schema), handler: () => 1 })
    server.catalog.addTool({
      name: 'other',
      description: 'Other',
      outputSchema: listed(schema),
      handler: () => result({}),
    })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['odd', 'other'])
    expect(tools[0]?.inputSchema).toEqual(expected)
  })

  it('accept a schema that refers to itself in a cycle of objects', async () => {
    const schema: Record<string, unknown> = { type: 'object' }
    schema['properties'] = { self: schema }
    const server = await createServer(base)
    server.catalog.addTool({ name: 'loop', description: 'Loops', inputSchema: listed(schema), handler: () => 1 })
    expect((await server.listTools())[0]?.inputSchema).toEqual({ type: 'object' })
    await server.close()
  })

  it('keep a recursive schema', async () => {
    const schema = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
    const server = await createServer(base)
    server.catalog.addTool({ name: 'tree', description: 'Tree', inputSchema: listed(schema), handler: () => 1 })
    expect((await server.listTools())[0]?.inputSchema).toEqual(schema)
    await server.close()
  })
})
