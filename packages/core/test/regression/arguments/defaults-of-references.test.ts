import { type AddedTool, type JsonObject, McpTool, type ToolOptions, Type } from '@toolwright/core'
import { findMistakes } from '../../boot/find-problems.js'
import { serve } from '../../protocol/client.js'

interface Schemas {
  readonly input?: object
  readonly inputSchema?: JsonObject
}

/** The arguments that a handler gets for the arguments of a call, and the listed schema. */
async function callWith(schemas: Schemas, args: object) {
  const server = await serve()
  server.catalog.addTool({ name: 'tool', ...schemas, handler: (given: object) => ({ ...given }) } as AddedTool)
  const { content } = await server.callTool('tool', args)
  const listed = server.catalog.tools.get('tool')?.input.wire as JsonObject
  await server.close()
  const { text } = content[0] as { text: string }
  return { given: text.startsWith('{') ? JSON.parse(text) : text, listed }
}

const Address = { type: 'object', properties: { country: { type: 'string', default: 'PT' } }, required: ['country'] }
const withAddress = (property: object): Schemas => ({
  inputSchema: {
    type: 'object',
    properties: { home: property },
    $defs: { Address, Unit: { type: 'string', default: 'C' } },
  },
})

const List = Type.Cyclic(
  {
    List: Type.Object({ size: Type.Integer({ default: 1 }), next: Type.Optional(Type.Ref('List')) }),
  },
  'List',
)

describe('a default', () => {
  test.each<[string, Schemas, object, object]>([
    ['behind a $ref', withAddress({ $ref: '#/$defs/Address' }), { home: {} }, { home: { country: 'PT' } }],
    ['of the target of a $ref', withAddress({ $ref: '#/$defs/Unit' }), {}, { home: 'C' }],
    ['beside a $ref', withAddress({ $ref: '#/$defs/Address', default: {} }), {}, { home: { country: 'PT' } }],
    [
      'of additionalProperties',
      withAddress({ type: 'object', properties: { a: {} }, additionalProperties: { $ref: '#/$defs/Address' } }),
      { home: { a: {}, b: {} } },
      { home: { a: {}, b: { country: 'PT' } } },
    ],
    [
      'of patternProperties',
      withAddress({ type: 'object', patternProperties: { '^x': Address }, additionalProperties: true }),
      { home: { x1: {}, y: {} } },
      { home: { x1: { country: 'PT' }, y: {} } },
    ],
    ['that is null', { inputSchema: { type: 'object', properties: { a: { default: null } } } }, {}, { a: null }],
    [
      'of a Type.Cyclic',
      { input: Type.Object({ list: List }) },
      { list: { next: { next: {} } } },
      { list: { size: 1, next: { size: 1, next: { size: 1 } } } },
    ],
    ['of a Type.Cyclic at the root', { input: List }, { next: {} }, { size: 1, next: { size: 1 } }],
    [
      'of a Type.Record',
      { input: Type.Object({ by: Type.Record(Type.String(), Type.Object({ n: Type.Integer({ default: 3 }) })) }) },
      { by: { a: {} } },
      { by: { a: { n: 3 } } },
    ],
    [
      'of an $id',
      {
        input: Type.Object({
          a: Type.Optional(Type.Object({ n: Type.Integer({ default: 3 }) }, { $id: 'A' })),
          b: Type.Ref('A'),
        }),
      },
      { b: {} },
      { b: { n: 3 } },
    ],
  ])('%s is filled in', async (_where, schemas, args, filled) => {
    expect((await callWith(schemas, args)).given).toEqual(filled)
  })

  test('makes a member optional in the list, and the handler still gets it', async () => {
    const input = Type.Object({
      name: Type.String({ default: 'x' }),
      id: Type.String(),
      inner: Type.Object({ n: Type.Integer({ default: 1 }) }),
      list: List,
    })
    const { given, listed } = await callWith({ input }, { id: 'a', inner: {}, list: {} })

    expect(given).toEqual({ name: 'x', id: 'a', inner: { n: 1 }, list: { size: 1 } })
    expect(listed).toMatchObject({ required: ['id', 'inner', 'list'], properties: { name: { default: 'x' } } })
    expect(JSON.stringify(listed).match(/"required"/g)).toHaveLength(1)
  })

  test('of an alternative is not filled in, and stays required in the list', async () => {
    const branch = Type.Object({ kind: Type.Literal('a'), n: Type.Integer({ default: 1 }) })
    const input = Type.Object({ either: Type.Union([branch, Type.Null()]) })
    const { given, listed } = await callWith({ input }, { either: { kind: 'a' } })

    expect(given).toMatch("'either' is missing required property 'n'")
    expect(listed['properties']).toMatchObject({ either: { anyOf: [{ required: ['kind', 'n'] }, {}] } })
  })

  test.each([
    [
      'a function',
      { default: () => 1 },
      'has a default with a function, which JSON cannot express. Write the value itself',
    ],
    [
      'a symbol',
      { default: Symbol('x') },
      'has a default with a symbol, which JSON cannot express. Write the value itself',
    ],
    [
      'a list with a function',
      { default: [() => 1] },
      'has a default with a function, which JSON cannot express. Write the value itself',
    ],
    [
      'NaN',
      { default: Number.NaN },
      'has NaN as default, which JSON cannot express. Write another number, or leave it out',
    ],
    ['a text', { default: 'x' }, `gives 'n' the default "x", which does not match its schema. Correct the default`],
    [
      'too small',
      { default: 0, minimum: 1 },
      `gives 'n' the default 0, which does not match its schema. Correct the default`,
    ],
  ])('that is %s prevents the server from starting', async (_what, options, fault) => {
    expect(await findMistakesOf({ input: Type.Object({ n: Type.Integer(options as never) }) })).toEqual([
      `bad-schema: Tools.run: the input schema ${fault}.`,
    ])
    const properties = { n: { type: 'integer', ...options } }
    expect(await findMistakesOf({ inputSchema: { type: 'object', properties } })).toEqual([
      `bad-schema: Tools.run: the input schema ${fault}.`,
    ])
  })

  test('that is circular prevents the server from starting', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node', default: {} } } }
    const inputSchema = { type: 'object', properties: { node: { $ref: '#/$defs/node' } }, $defs: { node } }

    expect(await findMistakesOf({ inputSchema })).toEqual([
      "bad-schema: Tools.run: the input schema gives 'next' a default that contains itself endlessly. " +
        'Remove one of the defaults.',
    ])
  })

  test('of an output schema is only a hint, even if it is invalid', async () => {
    expect(await findMistakesOf({ output: Type.Object({ n: Type.Integer({ default: 'x' }) }) })).toEqual([])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'of an output schema is not checked, but a limit of %p in that schema is reported',
    async (maximum) => {
      expect(await findMistakesOf({ output: Type.Object({ n: Type.Number({ maximum }) }) })).toEqual([
        `bad-schema: Tools.run: the output schema has ${maximum} as maximum, which JSON cannot express. ` +
          'Write another number, or leave it out.',
      ])
    },
  )
})

function findMistakesOf(options: object): Promise<readonly string[]> {
  class Tools {
    @McpTool(options as ToolOptions<undefined, undefined>)
    run(): string {
      return ''
    }
  }

  return findMistakes(Tools)
}
