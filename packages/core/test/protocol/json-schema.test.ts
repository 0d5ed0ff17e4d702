import { result, Type } from '@toolwright/core'
import { closeClients, modernVersion, serve, speak, speakTo, type WireTool } from './client.js'

afterEach(closeClients)

/** A schema, values that it allows, and values that it does not. */
type Case = readonly [keyword: string, schema: object | boolean, good: readonly unknown[], bad: readonly unknown[]]

const draft7 = 'http://json-schema.org/draft-07/schema#'
const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Schemas of one argument called `v`, unless they have their own root. */
const cases: readonly Case[] = [
  ['const', { const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, null]],
  ['enum', { enum: ['a', 1, null, [2]] }, ['a', 1, null, [2]], ['b', 2, [1]]],
  ['several types', { type: ['string', 'null'] }, ['', null], [1, {}]],
  ['bounds', { type: 'number', exclusiveMinimum: 0, maximum: 10 }, [0.1, 10], [0, 10.1]],
  ['multipleOf', { type: 'number', multipleOf: 0.5 }, [1.5, -1], [1.2]],
  [
    'multipleOf, of prices',
    { type: 'number', multipleOf: 0.01 },
    [19.99, 4.35, -0.07, 123_456_789.01, 1e21, 0],
    [0.015, 1e-9, 123_456_789.012],
  ],
  ['multipleOf, of large numbers', { type: 'number', multipleOf: 2 }, [1e21], [9_007_199_254_740_991]],
  [
    'const and enum, of objects with odd names',
    { anyOf: [{ const: { toString: 1 } }, { enum: [{ valueOf: { a: [1] } }, [], {}] }] },
    [{ toString: 1 }, { valueOf: { a: [1] } }, [], {}],
    [{ toString: 2 }, { valueOf: null }, { valueOf: { a: { 0: 1 } } }, { constructor: 1 }, [1]],
  ],
  [
    'patternProperties with an additionalProperties of `then`',
    // oxlint-disable-next-line unicorn/no-thenable
    { patternProperties: { b: {} }, if: {}, then: { additionalProperties: {}, required: ['a'] } },
    [{ a: 1, b: 1 }],
    [{ b: 1 }],
  ],
  ['lengths', { type: 'string', minLength: 1, maxLength: 2 }, ['a', '👩', 'ab'], ['', 'abc']],
  ['pattern', { type: 'string', pattern: '^\\p{Lu}+$' }, ['ÄB'], ['äb', '']],
  ['format email', { type: 'string', format: 'email' }, ['a@example.com'], ['a', 'a@']],
  ['format uri', { type: 'string', format: 'uri' }, ['https://example.com/a'], ['example', '/a']],
  ['format date', { type: 'string', format: 'date' }, ['2026-07-28'], ['2026-13-01', '28.7.2026']],
  ['format date-time', { type: 'string', format: 'date-time' }, ['2026-07-28T12:00:00Z'], ['2026-07-28']],
  ['format uuid', { type: 'string', format: 'uuid' }, ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
  ['format ipv6', { type: 'string', format: 'ipv6' }, ['::1'], ['127.0.0.1']],
  [
    'prefixItems',
    { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    [['a', 1], ['a'], []],
    [[1], ['a', 1, 2]],
  ],
  [
    'contains',
    { type: 'array', contains: { const: 1 }, minContains: 2, maxContains: 3 },
    [
      [1, 1],
      [1, 0, 1, 1],
    ],
    [[1], [1, 1, 1, 1]],
  ],
  [
    'uniqueItems',
    { type: 'array', uniqueItems: true },
    [
      [],
      [1, '1', true, 'true', null, 'null', [], {}, '{}'],
      [
        { a: 1, b: [2] },
        { a: 1, b: [3] },
      ],
    ],
    [
      [1, 1],
      ['a', 'a'],
      [null, null],
      [
        { a: 1, b: [{ c: 2, d: 3 }] },
        { b: [{ d: 3, c: 2 }], a: 1 },
      ],
      [[1], [1]],
    ],
  ],
  ['item counts', { type: 'array', minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
  ['unevaluatedItems', { prefixItems: [true], unevaluatedItems: false }, [[1], []], [[1, 2]]],
  ['required', { type: 'object', required: ['a'] }, [{ a: null }], [{}, { b: 1 }]],
  ['required and inherited names', { type: 'object', required: ['toString'] }, [{ toString: 1 }], [{}]],
  [
    'additionalProperties false',
    { type: 'object', properties: { a: true }, additionalProperties: false },
    [{ a: 1 }, {}],
    [{ b: 1 }, { toString: 1 }],
  ],
  [
    'additionalProperties schema',
    { type: 'object', additionalProperties: { type: 'number' } },
    [{ a: 1 }],
    [{ a: 'x' }],
  ],
  [
    'patternProperties',
    { type: 'object', patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ 'x-a': 'a' }, { y: 1 }],
  ],
  ['propertyNames', { type: 'object', propertyNames: { pattern: '^[a-z]+$' } }, [{ abc: 1 }], [{ A: 1 }]],
  ['property counts', { type: 'object', minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
  [
    'dependentRequired',
    { type: 'object', dependentRequired: { card: ['address'] } },
    [{ card: 1, address: 2 }, { address: 2 }],
    [{ card: 1 }],
  ],
  [
    'dependentSchemas',
    { type: 'object', dependentSchemas: { a: { required: ['b'] } } },
    [{ a: 1, b: 2 }, {}],
    [{ a: 1 }],
  ],
  [
    'unevaluatedProperties',
    { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
    [{ a: 1, b: 2 }],
    [{ a: 1, c: 3 }],
  ],
  ['anyOf', { anyOf: [{ type: 'string' }, { type: 'number', minimum: 5 }] }, ['a', 5], [4, null]],
  ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 1]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [1, 2, 3], [0, 4]],
  ['not', { not: { type: 'string' } }, [1, null], ['a']],
  [
    'if, then, else',
    // oxlint-disable-next-line unicorn/no-thenable
    { if: { type: 'string' }, then: { minLength: 2 }, else: { type: 'number' } },
    ['ab', 1],
    ['a', null],
  ],
  ['true', true, [1, 'a', null, {}], []],
  ['false', false, [], [1, null]],
  [
    '$comment, examples, deprecated and unknown keywords',
    { $comment: 'c', examples: ['x'], deprecated: true, 'x-own': { a: 1 }, type: 'string' },
    ['a'],
    [1],
  ],
]

const rooted: readonly Case[] = [
  [
    '$ref into $defs',
    { type: 'object', properties: { v: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } },
    [{ v: 1 }],
    [{ v: 'a' }],
  ],
  [
    '$ref with keywords beside it',
    { type: 'object', properties: { v: { $ref: '#/$defs/n', minimum: 5 } }, $defs: { n: { type: 'number' } } },
    [{ v: 5 }],
    [{ v: 4 }, { v: 'a' }],
  ],
  [
    '$anchor',
    { type: 'object', properties: { v: { $ref: '#num' } }, $defs: { n: { $anchor: 'num', type: 'number' } } },
    [{ v: 1 }],
    [{ v: 'a' }],
  ],
  [
    '$id',
    {
      $id: 'https://example.com/root.json',
      type: 'object',
      properties: { v: { $ref: 'part.json' } },
      $defs: { p: { $id: 'part.json', type: 'number' } },
    },
    [{ v: 1 }],
    [{ v: 'a' }],
  ],
  [
    'a recursive $ref',
    { type: 'object', properties: { v: { type: 'number' }, child: { $ref: '#' } }, required: ['v'] },
    [{ v: 1, child: { v: 2, child: { v: 3 } } }],
    [{ v: 1, child: { v: 2, child: {} } }],
  ],
  [
    '$dynamicRef',
    {
      type: 'object',
      properties: { v: { $ref: '#/$defs/tree' } },
      $defs: {
        tree: {
          $dynamicAnchor: 'node',
          type: 'object',
          properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
          unevaluatedProperties: false,
        },
      },
    },
    [{ v: { children: [{ data: 1, children: [] }] } }],
    [{ v: { children: [{ daat: 1 }] } }],
  ],
  ...['#name', '#/$defs/name', 'https://example.com/dynamic.json#name'].map(
    (to): Case => [
      `$dynamicRef to ${to}, which is not dynamic`,
      {
        $id: 'https://example.com/dynamic.json',
        type: 'object',
        properties: {
          v: { $dynamicRef: to, minLength: 2 },
          w: { $dynamicRef: to, $ref: '#/$defs/long', allOf: [true] },
        },
        $defs: { name: { $anchor: 'name', type: 'string' }, long: { minLength: 3 } },
      },
      [{ v: 'ab' }, { w: 'abc' }],
      [{ v: 1 }, { v: 'a' }, { v: {} }, { w: 1 }, { w: 'ab' }],
    ],
  ),
  [
    '$dynamicRef to the root, which is not dynamic',
    { type: 'object', properties: { v: { type: 'number' }, child: { $dynamicRef: '#' } }, required: ['v'] },
    [{ v: 1, child: { v: 2, child: { v: 3 } } }],
    [{ v: 1, child: { v: 2, child: {} } }],
  ],
  [
    'a root that refers',
    { type: 'object', $ref: '#/$defs/args', $defs: { args: { required: ['v'] } } },
    [{ v: 1 }],
    [{}],
  ],
  [
    'composition at the root',
    {
      type: 'object',
      properties: { phone: true, email: true },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      additionalProperties: false,
    },
    [{ phone: 1 }, { email: 1 }],
    [{}, { phone: 1, fax: 1 }],
  ],
  [
    'its dialect named',
    { $schema: draft2020, type: 'object', properties: { v: { prefixItems: [{ type: 'string' }] } } },
    [{ v: ['a'] }],
    [{ v: [1] }],
  ],
  [
    'draft-07 definitions',
    {
      $schema: draft7,
      type: 'object',
      properties: { v: { $ref: '#/definitions/n' } },
      definitions: { n: { type: 'number' } },
    },
    [{ v: 1 }],
    [{ v: 'a' }],
  ],
  [
    'draft-07 lists of items',
    { $schema: draft7, type: 'object', properties: { v: { items: [{ type: 'string' }], additionalItems: false } } },
    [{ v: ['a'] }, { v: [] }],
    [{ v: [1] }, { v: ['a', 'b'] }],
  ],
  [
    'draft-07 dependencies',
    { $schema: draft7, type: 'object', dependencies: { a: ['b'], c: { required: ['d'] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [{ a: 1 }, { c: 1 }],
  ],
  [
    'draft-07 without a fragment',
    { $schema: draft7.slice(0, -1), type: 'object', properties: { v: { if: { const: 1 }, else: false } } },
    [{ v: 1 }],
    [{ v: 2 }],
  ],
]

const asRoot = ([keyword, schema, good, bad]: Case): Case => [
  keyword,
  { type: 'object', properties: { v: schema }, required: ['v'] },
  good.map((v) => ({ v })),
  bad.map((v) => ({ v })),
]

const all = [...cases.map(asRoot), ...rooted]

function identified(type: string): Record<string, unknown> {
  return { $id: 'https://example.com/same.json', type: 'object', properties: { v: { type } } }
}

/** Not `structuredClone`, because its arrays belong to another realm than the test. */
function copyOf(schema: object | boolean): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
}

/** Equal to the original, except for names that the official clients would misread. */
function expectListed(listed: unknown, schema: object | boolean): void {
  const mistaken = /"\$id"|"\$dynamicRef"/
  const text = JSON.stringify(schema)
  const written = JSON.stringify(listed)
  expect(mistaken.test(text) ? !mistaken.test(written) : written === text).toBe(true)
}

describe('an input schema', () => {
  it.each(all)('is listed and enforced as it was written: %s', async (_keyword, schema, good, bad) => {
    const inputSchema = copyOf(schema)
    const tool: WireTool = { name: 'tool', inputSchema, handler: () => 'ran' }
    const client = await speak(modernVersion, [tool])

    expectListed((await client.request('tools/list')).result.tools[0].inputSchema, schema)
    const outcomes = await Promise.all([...good, ...bad].map((args) => client.call('tool', args as object)))
    expect(outcomes.map(({ result: given }) => given.isError ?? false)).toStrictEqual([
      ...good.map(() => false),
      ...bad.map(() => true),
    ])
  })

  it('is listed and enforced as it was when added, even if the object is changed later', async () => {
    const inputSchema = { type: 'object', properties: { v: { type: 'number' } } }
    const client = await speak(modernVersion, [{ name: 'tool', inputSchema, handler: () => 'ran' }])

    inputSchema.properties.v.type = 'string'

    expect((await client.request('tools/list')).result.tools[0].inputSchema.properties).toStrictEqual({
      v: { type: 'number' },
    })
    expect((await client.call('tool', { v: 1 })).result).not.toHaveProperty('isError')
  })

  it('is independent of another schema with the same $id', async () => {
    const client = await speak(modernVersion, [
      { name: 'text', inputSchema: identified('string'), handler: () => 'ran' },
      { name: 'number', inputSchema: identified('number'), handler: () => 'ran' },
    ])

    const outcomes = await Promise.all([
      client.call('text', { v: 'a' }),
      client.call('text', { v: 1 }),
      client.call('number', { v: 1 }),
      client.call('number', { v: 'a' }),
    ])

    expect(outcomes.map(({ result: given }) => given.isError ?? false)).toStrictEqual([false, true, false, true])
  })

  it('of TypeBox resolves a $dynamicRef to a plain $anchor', async () => {
    const named = { $defs: { name: { $anchor: 'name', type: 'string' } } }
    const input = Type.Object({ v: Type.Unsafe({ $dynamicRef: '#name' }) }, named)
    const server = await serve()
    server.catalog.addTool({ name: 'tool', input, handler: () => 'ran' })
    const client = await speakTo(server, modernVersion)

    const outcomes = await Promise.all([client.call('tool', { v: 'a' }), client.call('tool', { v: 1 })])

    expect(outcomes.map(({ result: given }) => given.isError ?? false)).toStrictEqual([false, true])
  })

  it('of TypeBox fills in defaults of properties at any depth, without visiting other values', async () => {
    const point = Type.Object({ x: Type.Optional(Type.Number({ default: 1 })), y: Type.Optional(Type.Number()) })
    const input = Type.Object({
      unit: Type.Optional(Type.String({ default: 'C' })),
      origin: Type.Optional({ ...point, default: { y: 5 } }),
      points: Type.Optional(Type.Array(point)),
      pair: Type.Optional(Type.Tuple([point, Type.String()])),
      either: Type.Optional(Type.Union([point, Type.String()])),
      both: Type.Optional(Type.Intersect([point, Type.Object({ z: Type.Optional(Type.Number({ default: 3 })) })])),
    })
    const server = await serve()
    server.catalog.addTool({ name: 'tool', input, handler: (args) => JSON.stringify(args) })
    const client = await speakTo(server, modernVersion)
    const filled = async (args: object): Promise<unknown> => {
      const { result: given } = await client.call('tool', args)
      return given.isError === true ? 'rejected' : JSON.parse(given.content[0].text)
    }

    expect(await filled({})).toStrictEqual({ unit: 'C', origin: { y: 5, x: 1 } })
    expect(await filled({ unit: 'F', origin: {} })).toStrictEqual({ unit: 'F', origin: { x: 1 } })
    expect(await filled({ origin: { x: 0 }, points: [{}, { x: 2 }], pair: [{}, ''] })).toStrictEqual({
      unit: 'C',
      origin: { x: 0 },
      points: [{ x: 1 }, { x: 2 }],
      pair: [{ x: 1 }, ''],
    })
    expect(await filled({ origin: { x: 0 }, either: {}, both: {} })).toStrictEqual({
      unit: 'C',
      origin: { x: 0 },
      either: {},
      both: { x: 1, z: 3 },
    })
    expect(await filled({ points: [null] })).toBe('rejected')
    expect(await filled({ points: 'x' })).toBe('rejected')
    expect(await filled({ origin: null })).toBe('rejected')
  })

  it('fills in defaults of missing members, for each call separately', async () => {
    const inputSchema = {
      type: 'object',
      properties: { unit: { type: 'string', default: 'C' }, tags: { type: 'array', default: [] } },
    }
    const client = await speak(modernVersion, [
      {
        name: 'tool',
        inputSchema,
        handler: (args) => {
          args.tags.push(args.unit)
          return JSON.stringify(args)
        },
      },
    ])

    const texts = [await client.call('tool'), await client.call('tool', { unit: 'F' }), await client.call('tool')].map(
      ({ result: given }) => given.content[0].text,
    )

    expect(texts).toStrictEqual(['{"unit":"C","tags":["C"]}', '{"unit":"F","tags":["F"]}', '{"unit":"C","tags":["C"]}'])
  })
})

/** Returns one value on the first call and another one later. */
function changing<Value>(first: Value, later: Value): () => Value {
  let asked = 0
  return () => (asked++ === 0 ? first : later)
}

describe('an output schema', () => {
  it.each(all)('is listed and enforced as it was written: %s', async (_keyword, schema, good, bad) => {
    const outputSchema = copyOf(schema)
    let next: unknown
    const client = await speak(modernVersion, [{ name: 'tool', outputSchema, handler: () => next }])
    const outcomeOf = async (value: unknown): Promise<unknown> => {
      next = value
      const { result: given } = await client.call('tool')
      return given.isError === true ? 'kept back' : given.structuredContent
    }

    expectListed((await client.request('tools/list')).result.tools[0].outputSchema, schema)
    // oxlint-disable-next-line no-await-in-loop
    for (const value of good) expect(await outcomeOf(value)).toStrictEqual(value)
    // oxlint-disable-next-line no-await-in-loop
    for (const value of bad) expect(await outcomeOf(value)).toBe('kept back')
  })

  const outputSchema = {
    type: 'object',
    properties: { secret: false, n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false,
  }

  const read = changing<unknown>(1, 'changed')
  const leak = changing<unknown>({ n: 1 }, { n: 1, secret: 'x' })
  const keys = changing<string[]>(['n'], ['n', 'secret'])

  it.each<[string, unknown, unknown]>([
    [
      'a getter that returns another value later',
      {
        get n() {
          return read()
        },
      },
      { n: 1 },
    ],
    ['a toJSON that returns another value later', { toJSON: () => leak() }, { n: 1 }],
    ['a proxy whose keys change', new Proxy({ n: 1, secret: 'x' }, { ownKeys: () => keys() }), { n: 1 }],
    ['a toJSON that hides an invalid member', { n: 'x', toJSON: () => ({ n: 2 }) }, { n: 2 }],
    [
      'an instance of a class',
      Object.assign(
        new (class Result {
          hidden = undefined
        })(),
        { n: 3 },
      ),
      { n: 3 },
    ],
    ['undefined members', { n: 4, secret: undefined }, { n: 4 }],
    ['a function as a member', { n: 5, secret: () => 'x' }, { n: 5 }],
    ['a built result', result({ structuredContent: { n: 6 }, content: [] }), { n: 6 }],
  ])('validates the serialized value: %s', async (_what, value, sent) => {
    const client = await speak(modernVersion, [{ name: 'tool', outputSchema, handler: () => value }])

    const { result: given } = await client.call('tool')

    expect(given.structuredContent).toStrictEqual(sent)
    expect(given).not.toHaveProperty('isError')
  })

  it.each<[string, unknown]>([
    ['a toJSON that adds an invalid member', { n: 1, toJSON: () => ({ n: 1, secret: 'hidden' }) }],
    [
      'a getter of an invalid value',
      {
        n: 1,
        get secret() {
          return 'hidden'
        },
      },
    ],
    ['NaN, which is null on the wire', { n: Number.NaN }],
    ['infinity, which is null on the wire', { n: Number.POSITIVE_INFINITY }],
    ['a date for a number', { n: new Date(0) }],
    ['a bigint as a number', { n: 1n }],
    [
      'a circular object',
      (() => {
        const circle: Record<string, unknown> = { n: 1 }
        circle['secret'] = circle
        return circle
      })(),
    ],
    ['nothing', undefined],
    ['null', null],
    ['text', 'hidden'],
    ['a list', [{ n: 1 }]],
    ['a function', () => ({ n: 1 })],
    ['a symbol', Symbol('hidden')],
    ['a map', new Map([['n', 1]])],
    ['content without structure', result({ content: [{ type: 'text', text: 'hidden' }] })],
    ['a built result with invalid data', result({ structuredContent: { n: 1, secret: 'hidden' } })],
    ['content blocks instead of structured data', { content: [{ type: 'text', text: 'hidden' }] }],
    ['a promise of an invalid value', Promise.resolve({ n: 1, secret: 'hidden' })],
    ['an object without a prototype', Object.assign(Object.create(null), { n: 1, secret: 'hidden' })],
  ])('rejects %s', async (_what, value) => {
    const client = await speak(modernVersion, [{ name: 'tool', outputSchema, handler: () => value }])

    const response = await client.call('tool')

    expect(response.result.isError).toBe(true)
    expect(response.result).not.toHaveProperty('structuredContent')
    expect(response.result.content).toHaveLength(1)
    expect(response.result.content[0].text).toMatch(/^Tool 'tool' failed\. The cause is in the server's log /)
    expect(JSON.stringify(response)).not.toContain('hidden')
  })

  it('fills in no defaults for missing members of a result', async () => {
    const withDefault = { ...outputSchema, properties: { n: { type: 'number', default: 1 } } }
    const client = await speak(modernVersion, [{ name: 'tool', outputSchema: withDefault, handler: () => ({}) }])

    expect((await client.call('tool')).result).toMatchObject({ isError: true })
  })

  it('is not applied to a result with isError', async () => {
    const client = await speak(modernVersion, [
      {
        name: 'tool',
        outputSchema,
        handler: () =>
          result({ isError: true, content: [{ type: 'text', text: 'No.' }], structuredContent: { why: 1 } }),
      },
    ])

    expect((await client.call('tool')).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'No.' }],
    })
  })
})
