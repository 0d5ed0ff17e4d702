import { runInNewContext } from 'node:vm'
import { type JsonObject, McpTool, Model, type ToolOptions, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { findMistakes } from './find-problems.js'

/** The boot problems of a single tool, `Tools.run`, with these options. */
function findWrong(options: object): Promise<readonly string[]> {
  class Tools {
    @McpTool(options as ToolOptions<undefined, undefined>)
    run(): string {
      return ''
    }
  }

  return findMistakes(Tools)
}

const object = Type.Object({})
const dialect202012 = 'https://json-schema.org/draft/2020-12/schema'

describe('input and output schemas', () => {
  it.each([
    [5, '5'],
    [null, 'null'],
    ['object', "the string 'object'"],
    [[], 'an array'],
    [{ type: 'object' }, 'a plain object'],
    [Date, 'the class Date'],
    [class {}, 'a class without a name'],
    [() => object, 'a function without a name'],
    [new Map(), 'an instance of Map'],
  ])('reject %p', async (value, found) => {
    expect(await findWrong({ input: value, output: value })).toEqual([
      `bad-schema: Tools.run: the input schema is ${found}. ` +
        'Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as inputSchema.',
      `bad-schema: Tools.run: the output schema is ${found}. ` +
        'Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as outputSchema.',
    ])
  })

  it('reject a schema of the older TypeBox, and name the new package', async () => {
    const input = { type: 'object', properties: {}, [Symbol.for('TypeBox.Kind')]: 'Object' }

    expect(await findWrong({ input })).toEqual([
      'bad-schema: Tools.run: the input schema is made with @sinclair/typebox. ' +
        "Import Type from 'toolwright' or 'typebox'.",
    ])
  })

  it.each([
    ['String', Type.String()],
    ['Array', Type.Array(object)],
  ])('reject a Type.%s as input', async (kind, input) => {
    expect(await findWrong({ input })).toEqual([
      `bad-schema: Tools.run: the input schema is a Type.${kind}. Arguments are an object: give a Type.Object({ … }).`,
    ])
  })

  it.each([
    ['Union', Type.Union([object, Type.Null()])],
    ['Intersect', Type.Intersect([Type.Unknown(), Type.Unknown()])],
    ['Cyclic', Type.Cyclic({ List: Type.Array(Type.Ref('List')) }, 'List')],
    ['Unsafe', Type.Unsafe({ type: 'string' })],
  ])('reject a Type.%s as input, because it is not always an object', async (kind, input) => {
    expect(await findWrong({ input })).toEqual([
      `bad-schema: Tools.run: the input schema is a Type.${kind}, which also allows values that are not objects. ` +
        'Arguments are an object: give a Type.Object({ … }).',
    ])
  })

  it.each([
    [
      'an instance of a class',
      new (class {
        readonly type = 'object'
      })(),
    ],
    ['functions', { type: 'object', parse: () => undefined }],
  ])('reject a schema of another library as JSON Schema: %s', async (_which, schema) => {
    expect(await findWrong({ inputSchema: schema, outputSchema: schema })).toEqual([
      'bad-schema: Tools.run: the input schema is a schema of another library. Convert it to JSON Schema.',
      'bad-schema: Tools.run: the output schema is a schema of another library. Convert it to JSON Schema.',
    ])
  })

  it('accept JSON Schema of another realm, and without a prototype', async () => {
    const inputSchema = runInNewContext("({ type: 'object' })")
    const outputSchema = Object.assign(Object.create(null), { type: 'object' })

    expect(await findWrong({ inputSchema, outputSchema })).toEqual([])
  })

  it('accept any TypeBox schema as output', async () => {
    expect(await findWrong({ output: Type.Array(Type.Union([Type.Null(), Type.Tuple([Type.String()])])) })).toEqual([])
  })

  it('reject misspelt formats, and accept unknown ones', async () => {
    const input = Type.Object({ at: Type.String({ format: 'datetime' }), note: Type.String({ format: 'markdown' }) })
    const output = Type.Array(Type.String({ format: 'URI_Template' }))

    expect(await findWrong({ input, output })).toEqual([
      "bad-schema: Tools.run: the input schema has the format 'datetime', which checks nothing. Write 'date-time'.",
      "bad-schema: Tools.run: the output schema has the format 'URI_Template', which checks nothing. " +
        "Write 'uri-template'.",
    ])
    expect(await findWrong({ input: Type.Object({ note: Type.String({ format: 'markdown' }) }) })).toEqual([])
  })

  it('reject types that JSON does not have, with their place', async () => {
    const input = Type.Object({ amount: Type.BigInt(), nested: Type.Object({ list: Type.Array(Type.Undefined()) }) })

    expect(await findWrong({ input, output: Type.Void() })).toEqual([
      'bad-schema: Tools.run: the input schema has the type bigint at properties/amount, undefined at ' +
        'properties/nested/properties/list/items, which no JSON value has. Use a type of JSON.',
      'bad-schema: Tools.run: the output schema has the type void at its root, which no JSON value has. ' +
        'Use a type of JSON.',
    ])
  })

  it.each([
    ['symbol', Type.Symbol()],
    ['function', Type.Function([], Type.Void())],
    ['constructor', Type.Constructor([], Type.Object({}))],
  ])('reject the type %s', async (type, schema) => {
    const [diagnostic] = await findWrong({ input: Type.Object({ value: schema }) })

    expect(diagnostic).toMatch(`bad-schema: Tools.run: the input schema has the type ${type} at properties/value`)
  })

  it('accept properties with the names of keywords, and any data as defaults and examples', async () => {
    const input = Type.Object(
      { type: Type.Literal('bigint'), default: Type.String(), items: Type.String() },
      { default: { type: 'bigint', default: '', items: ['a'] }, examples: [{ type: 'undefined' }] },
    )

    expect(await findWrong({ input })).toEqual([])
  })

  it('quote the error of an invalid regular expression', async () => {
    const pattern = '('
    const { message } = thrownBy(() => new RegExp(pattern, 'u'))

    expect(await findWrong({ input: Type.Object({ name: Type.String({ pattern }) }) })).toEqual([
      `bad-schema: Tools.run: the input schema cannot be used: ${message}.`,
    ])
  })

  it('reject flags of a pattern, which JSON Schema does not have', async () => {
    const input = Type.Object({ name: Type.String({ pattern: /^ada$/i }) })

    expect(await findWrong({ input })).toEqual([
      'bad-schema: Tools.run: the input schema has the pattern /^ada$/i, whose flags JSON Schema does not support. ' +
        'Remove the flags.',
    ])
  })

  it.each(['input', 'output', 'inputSchema', 'outputSchema'])('are reported if %s is undefined', async (option) => {
    expect(await findWrong({ [option]: undefined })).toEqual([
      `missing-schema: Tools.run: its ${option} is undefined when the class is defined, ` +
        'perhaps because two files import each other. Move the schema to a separate file.',
    ])
  })

  it('can be undefined in a tool that is added as a function', async () => {
    const logger = pino({ level: 'silent' })
    const server = await createServer({ name: 'test', version: '1.0.0', controllers: [], logger })

    server.catalog.addTool({ name: 'plain', input: undefined, outputSchema: undefined, handler: () => '' })

    expect(server.catalog.tools.get('plain')?.output).toBeNull()
    await server.close()
  })

  it('are reported with the name of the added tool', async () => {
    const logger = pino({ level: 'silent' })
    const server = await createServer({ name: 'test', version: '1.0.0', controllers: [], logger })

    expect(() => server.catalog.addTool({ name: 'plain', input: 5 as never, handler: () => '' })).toThrow(
      "Tool 'plain' cannot be added: 1 problem found.\n" +
        "  1. tool 'plain': the input schema is 5. " +
        'Give a TypeBox schema, a Model class or a Standard Schema, or plain JSON Schema as inputSchema. [bad-schema]',
    )
    await server.close()
  })
})

describe('a bigint in a TypeBox schema', () => {
  it.each([
    ['minimum', Type.Integer({ minimum: 1n })],
    ['multipleOf', Type.Number({ multipleOf: 1n })],
    ['default', Type.Integer({ default: 1n })],
    ['description', Type.String({ description: 1n as never })],
  ])('is rejected as %s, because JSON cannot represent it in the list', async (keyword, value) => {
    expect(await findWrong({ input: Type.Object({ value }) })).toEqual([
      `bad-schema: Tools.run: the input schema has the bigint 1n as ${keyword}, which JSON cannot express. ` +
        'Write the number 1.',
    ])
  })
})

describe('references in a TypeBox schema', () => {
  it('are rejected if they cannot be resolved', async () => {
    expect(await findWrong({ output: Type.Object({ next: Type.Ref('Node') }) })).toEqual([
      'bad-schema: Tools.run: the output schema refers to Node, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
    ])
  })

  it('allow a recursive type', async () => {
    const tree = Type.Cyclic({ Node: Type.Object({ children: Type.Array(Type.Ref('Node')) }) }, 'Node')

    expect(await findWrong({ input: Type.Object({ tree }), output: tree })).toEqual([])
  })

  it('reject two recursive types of the same name', async () => {
    const nodesOf = (value: object) =>
      Type.Cyclic({ Node: Type.Object({ value, next: Type.Optional(Type.Ref('Node')) }) }, 'Node')
    const output = Type.Object({ list: nodesOf(Type.Null()), tree: nodesOf(Type.String()) })

    expect(await findWrong({ output })).toEqual([
      'bad-schema: Tools.run: the output schema has several schemas called Node. Rename all but one.',
    ])
  })

  it('cannot form a cycle', async () => {
    const circle = Type.Cyclic({ A: Type.Union([Type.Null(), Type.Ref('A')]) }, 'A')

    expect(await findWrong({ output: Type.Object({ circle }) })).toEqual([
      'bad-schema: Tools.run: the output schema has a $ref that refers to itself without descending into the value. ' +
        'Remove it.',
    ])
  })
})

describe('inputSchema and outputSchema', () => {
  it.each([
    [5, '5'],
    [null, 'null'],
    ['{}', "the string '{}'"],
    [[], 'an array'],
    [class Input extends Model(object) {}, 'the class Input'],
  ])('reject %p, which is not a JSON object', async (value, found) => {
    expect(await findWrong({ inputSchema: value, outputSchema: value })).toEqual([
      `bad-schema: Tools.run: the input schema is ${found}. Give a JSON object as inputSchema.`,
      `bad-schema: Tools.run: the output schema is ${found}. Give a JSON object as outputSchema.`,
    ])
  })

  it.each([
    [{}, 'no type'],
    [{ type: 'string' }, 'the type "string"'],
    [{ type: ['object', 'null'] }, 'the type ["object","null"]'],
  ])('require an object at the root of the input, not %j', async (inputSchema, found) => {
    expect(await findWrong({ inputSchema, outputSchema: inputSchema })).toEqual([
      `bad-schema: Tools.run: the input schema has ${found} at its root. Arguments are an object: ` +
        'write "type": "object".',
    ])
  })

  it('are rejected if they are invalid in their dialect', async () => {
    const properties = { age: { type: 'integer', minimum: '0' } }

    expect(await findWrong({ inputSchema: { type: 'object', properties } })).toEqual([
      'bad-schema: Tools.run: the input schema is not valid JSON Schema: ' +
        "'properties/age/minimum' must be a number, got a string.",
    ])
  })

  it('quote the error of an invalid regular expression', async () => {
    const properties = { name: { type: 'string', pattern: '(' } }

    expect(await findWrong({ inputSchema: { type: 'object', properties } })).toEqual([
      'bad-schema: Tools.run: the input schema cannot be used: Invalid regular expression: /(/u: Unterminated group.',
    ])
  })

  it('are checked by the dialect of their $schema', async () => {
    const tuple = { type: 'object', properties: { pair: { type: 'array', items: [{}, {}] } } }

    expect(await findWrong({ inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...tuple } })).toEqual(
      [],
    )
    expect(await findWrong({ inputSchema: { $schema: dialect202012, ...tuple } })).toEqual([
      'bad-schema: Tools.run: the input schema is not valid JSON Schema: ' +
        "'properties/pair/items' must be an object or a boolean, got an array.",
    ])
  })

  it.each(['http://json-schema.org/draft-04/schema#', 'constructor', 7])('reject the dialect %p', async ($schema) => {
    expect(await findWrong({ outputSchema: { $schema } })).toEqual([
      `bad-schema: Tools.run: the output schema is written in the dialect ${JSON.stringify($schema)}. ` +
        `Use ${dialect202012} or http://json-schema.org/draft-07/schema.`,
    ])
  })

  it('reject a $ref that cannot be resolved within the schema', async () => {
    expect(
      await findWrong({ inputSchema: referTo('#/$defs/node'), outputSchema: referTo('https://example.com/node') }),
    ).toEqual([
      'bad-schema: Tools.run: the input schema refers to #/$defs/node, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
      'bad-schema: Tools.run: the output schema refers to https://example.com/node, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
    ])
  })

  it('reject a $ref at the root to a missing anchor', async () => {
    expect(await findWrong({ inputSchema: { type: 'object', $ref: '#nowhere' } })).toEqual([
      'bad-schema: Tools.run: the input schema refers to #nowhere, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
    ])
  })

  it('reject a $dynamicRef that cannot be resolved', async () => {
    const inputSchema = { type: 'object', properties: { a: { $dynamicRef: '#name' } } }

    expect(await findWrong({ inputSchema })).toEqual([
      'bad-schema: Tools.run: the input schema refers to #name, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
    ])
  })

  it('reject a $dynamicRef to one of several dynamic anchors', async () => {
    const inputSchema = {
      type: 'object',
      $dynamicAnchor: 'node',
      properties: { a: { $dynamicRef: 'part#node' } },
      $defs: { part: { $id: 'part', $dynamicAnchor: 'node', type: 'string' } },
    }

    expect(await findWrong({ inputSchema })).toEqual([
      'bad-schema: Tools.run: the input schema has the $dynamicRef part#node, but several schemas with that $dynamicAnchor. ' +
        'Validators choose different ones. Write $ref.',
    ])
  })

  const endless = {
    'to itself': { type: 'object', $ref: '#' },
    'by way of another': {
      type: 'object',
      properties: { a: { $ref: '#/$defs/b' } },
      $defs: { b: { allOf: [{ $ref: '#/$defs/c' }] }, c: { if: false, else: { $ref: '#/$defs/b' } } },
    },
    'by an anchor': {
      type: 'object',
      properties: { a: { $ref: '#node' } },
      $defs: { node: { $anchor: 'node', anyOf: [{ type: 'null' }, { $ref: '#node' }] } },
    },
    'by an id': {
      type: 'object',
      properties: { a: { $ref: 'node' } },
      $defs: { node: { $id: 'node', not: { $ref: 'node' } } },
    },
    'by a key that a pointer has to escape': {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a~1b%20c' } },
      $defs: { 'a/b c': { dependentSchemas: { x: { $ref: '#/$defs/a~1b%20c' } } } },
    },
    'that is dynamic': { type: 'object', allOf: [{ $dynamicRef: '#' }] },
    'to a dynamic anchor': { type: 'object', $dynamicAnchor: 'node', $dynamicRef: '#node' },
    'of an older draft': { type: 'object', $recursiveRef: '#' },
  }

  it.each(Object.entries(endless))('reject an endless reference: %s', async (_name, inputSchema) => {
    expect(await findWrong({ inputSchema })).toEqual([
      'bad-schema: Tools.run: the input schema has a $ref that refers to itself without descending into the value. ' +
        'Remove it.',
    ])
  })

  it('accept a recursive schema, because each of its values is finite', async () => {
    const inputSchema = {
      type: 'object',
      $dynamicAnchor: 'node',
      properties: {
        children: { type: 'array', items: { $ref: '#' } },
        dynamic: { $dynamicRef: '#node' },
        twin: { $ref: '#/$defs/named' },
      },
      $defs: { named: { properties: { again: { $ref: '#/$defs/named' } } } },
    }

    expect(await findWrong({ inputSchema })).toEqual([])
  })

  it('are separate for each tool, also with the same $id', async () => {
    class Tools {
      @McpTool({ inputSchema: withDefinition('x', { $id: 'node', type: 'string' }) })
      text(_args: unknown): string {
        return ''
      }

      @McpTool({ inputSchema: withDefinition('y', { $id: 'node', type: 'number' }) })
      number(_args: unknown): string {
        return ''
      }

      @McpTool({ inputSchema: withDefinition('y', {}) })
      nothing(_args: unknown): string {
        return ''
      }
    }

    expect(await findMistakes(Tools)).toEqual([
      'bad-schema: Tools.nothing: the input schema refers to node, which is not part of the schema. ' +
        'Add that schema under $defs: schemas are not fetched.',
    ])
  })

  it('reject a circular JavaScript object', async () => {
    const inputSchema: Record<string, unknown> = { type: 'object' }
    inputSchema['properties'] = { self: inputSchema }

    expect(await findWrong({ inputSchema })).toEqual([
      'bad-schema: Tools.run: the input schema cannot be used: Maximum call stack size exceeded.',
    ])
  })
})

describe('x-mcp-header', () => {
  it.each(['a b', 'größe', '', 5, null])('rejects the name %j', async (name) => {
    expect(await findWrong(header({ type: 'string', 'x-mcp-header': name }))).toEqual([
      `bad-header-parameter: Tools.run: the input schema has "x-mcp-header" on 'region' with ${JSON.stringify(name)}, ` +
        'which is not an HTTP header name. Use letters, digits and -.',
    ])
  })

  it.each(['number', 'object', 'array', 'null', undefined, ['string', 'null']])('rejects the type %j', async (type) => {
    expect(await findWrong(header({ type, 'x-mcp-header': 'Region' }))).toEqual([
      `bad-header-parameter: Tools.run: the input schema has "x-mcp-header" on 'region', which is not a string, integer ` +
        'or boolean. Headers support only these types.',
    ])
  })

  const marked = { type: 'string', 'x-mcp-header': 'Region' }

  it.each([
    ['items', header({ type: 'array', items: marked })],
    ['anyOf', header({ anyOf: [marked, { type: 'null' }] })],
    ['$ref', { inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: marked } } }],
    ['patternProperties', { inputSchema: { type: 'object', patternProperties: { '^r': marked } } }],
    ['if', { inputSchema: { type: 'object', if: { properties: { region: marked } } } }],
    ['nothing: the root', { inputSchema: { type: 'object', 'x-mcp-header': 'All' } }],
  ])('is rejected under %s', async (_keyword, options) => {
    expect(await findWrong(options)).toEqual([
      'bad-header-parameter: Tools.run: the input schema has "x-mcp-header" outside of nested "properties". ' +
        'Headers are only supported inside of them. Move or remove it.',
    ])
  })

  it('rejects one header for two properties, compared case-insensitively', async () => {
    const properties = {
      region: marked,
      place: { type: 'object', properties: { region: { ...marked, 'x-mcp-header': 'REGION' } } },
    }

    expect(await findWrong({ inputSchema: { type: 'object', properties } })).toEqual([
      'bad-header-parameter: Tools.run: the input schema gives two properties the same "x-mcp-header", ' +
        'mcp-param-region. Rename one.',
    ])
  })

  it('is reported with each fault of a schema', async () => {
    const properties = { a: { type: 'number', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': '!?' } }

    expect(await findWrong({ inputSchema: { type: 'object', properties } })).toHaveLength(2)
  })

  it('accepts nested properties, and ignores properties and defaults of that name', async () => {
    const properties = {
      place: { type: 'object', properties: { region: marked, zone: { type: 'integer', 'x-mcp-header': 'Zone-1' } } },
      'x-mcp-header': { type: 'string' },
      settings: { type: 'object', default: { 'x-mcp-header': 5 } },
    }

    expect(await findWrong({ inputSchema: { type: 'object', properties } })).toEqual([])
  })
})

function header(property: object): object {
  return { inputSchema: { type: 'object', properties: { region: property } } }
}

function referTo($ref: string): object {
  return { type: 'object', properties: { next: { $ref } } }
}

function withDefinition(name: string, definition: object): JsonObject {
  return { ...referTo('node'), $defs: { [name]: definition } }
}

function thrownBy(run: () => unknown): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
