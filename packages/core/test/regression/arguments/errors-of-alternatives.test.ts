import { type JsonObject, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'

type TSchema = Parameters<typeof Type.Union>[0][number]

const op = (kind: string, rest: Record<string, TSchema>): TSchema => Type.Object({ kind: Type.Literal(kind), ...rest })

const shapes = [
  op('circle', { radius: Type.Number() }),
  op('square', { side: Type.Number() }),
  op('line', { length: Type.Number() }),
  op('arc', { angle: Type.Number() }),
  op('text', { words: Type.Array(Type.String()) }),
  op('image', { url: Type.String({ minLength: 5 }), mode: Type.Optional(Type.Literal('fast')) }),
]

const place = [
  Type.Object({ city: Type.String() }, { additionalProperties: false }),
  Type.Object({ latitude: Type.Number({ maximum: 90 }), longitude: Type.Number() }, { additionalProperties: false }),
]

const input = Type.Object({
  shape: Type.Optional(Type.Union(shapes)),
  list: Type.Optional(Type.Array(Type.Union([...shapes, Type.Null()]))),
  place: Type.Optional(Type.Union(place)),
  size: Type.Optional(Type.Union([Type.Literal('s'), Type.Literal('m'), Type.Literal(7)])),
  label: Type.Optional(Type.Union([Type.String({ minLength: 3 }), Type.Integer(), Type.Null()])),
  nested: Type.Optional(
    Type.Union([
      op('a', { of: Type.Union(shapes) }),
      op('b', { of: Type.Union(place) }),
      op('b', { other: Type.Null() }),
    ]),
  ),
})

const plain = JSON.parse(JSON.stringify(input)) as JsonObject
const { shape, list, nested } = plain['properties'] as Record<'shape' | 'list' | 'nested', { anyOf: JsonObject[] }>

/** The same schema, in which each branch of the union `shape` is a reference, and `oneOf` replaces `anyOf`. */
const referring = {
  ...plain,
  properties: {
    ...(plain['properties'] as object),
    list,
    nested,
    shape: { oneOf: shape.anyOf.map((_, index) => ({ $ref: `#/$defs/S${index}` })) },
  },
  $defs: Object.fromEntries(shape.anyOf.map((branch, index) => [`S${index}`, branch])),
}

const tools: Readonly<Record<string, object>> = {
  typebox: { input },
  'json schema': { inputSchema: plain },
  'references in draft-07': { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', ...referring } },
  'references in 2020-12': { inputSchema: referring },
}

async function whatIsWrong(tool: object, args: JsonObject): Promise<string> {
  const server = await createServer({ name: 'faults', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ name: 'draw', ...tool, handler: () => 'drawn' })
  const { content } = await server.callTool('draw', args)
  await server.close()
  const [block] = content as readonly { readonly text: string }[]
  return String(block?.text).replace("Invalid arguments for tool 'draw': ", '')
}

const kinds = '"circle", "square", "line", "arc", "text", "image"'

describe.each(Object.keys(tools))('errors of alternatives: %s', (name) => {
  test.each<[string, JsonObject, string]>([
    [
      'name only the branch that the discriminator selects',
      { shape: { kind: 'image', url: 'x' } },
      "'shape/url' must be at least 5 characters long.",
    ],
    [
      'do not take every constant for a discriminator',
      { shape: { kind: 'image', url: 'https:', mode: 'slow' } },
      '\'shape/mode\' must be "fast".',
    ],
    [
      'list the values of the discriminator',
      { shape: { kind: 'disc', url: 'x' } },
      `'shape/kind' must be one of ${kinds}.`,
    ],
    ['list the values of a missing discriminator', { shape: {} }, `'shape/kind' must be one of ${kinds}.`],
    ['name the type that all branches have', { shape: 5 }, "'shape' must be an object, got a number."],
    [
      'select a branch for each item of a list',
      { list: [{ kind: 'arc', angle: 'x' }, null, { kind: 'text', words: [1] }] },
      "'list/0/angle' must be a number, got a string; 'list/2/words/0' must be a string, got a number.",
    ],
    ['join constants', { size: 'l' }, '\'size\' must be one of "s", "m", 7.'],
    ['join types', { label: true }, "'label' must be a string or an integer or null, got a boolean."],
    ['select the branch of the same type', { label: 'x' }, "'label' must be at least 3 characters long."],
    [
      'begin with the branch of the fewest errors',
      { place: { latitude: 95, longitude: 3 } },
      "either 'place/latitude' must be at most 90; or 'place' is missing required property 'city' and 'place' has unknown " +
        "properties 'latitude', 'longitude'.",
    ],
    [
      'select a branch of a union in a union',
      { nested: { kind: 'a', of: { kind: 'line', length: 'x' } } },
      "'nested/of/length' must be a number, got a string.",
    ],
    [
      'compare only the branches that the discriminator selects',
      { nested: { kind: 'b' } },
      "either 'nested' is missing required property 'of'; or 'nested' is missing required property 'other'.",
    ],
  ])('%s', async (_what, args, expected) => {
    expect(await whatIsWrong(tools[name] as object, args)).toBe(expected)
  })
})

test('a value of the wrong format is reported once, without the pattern beside the format', async () => {
  const uuid = { type: 'string', format: 'uuid', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}$' }
  const inputSchema = { type: 'object', properties: { id: uuid, kind: { type: 'string', const: 'a' } } }
  const { id, kind } = inputSchema.properties
  const typed = Type.Object({ id: Type.Unsafe<string>(id), kind: Type.Unsafe<string>(kind) })

  for (const tool of [{ inputSchema }, { input: typed }]) {
    expect(await whatIsWrong(tool, { id: 'x', kind: 1 })).toBe(
      '\'id\' must match the format "uuid"; \'kind\' must be "a".',
    )
  }
})

const Tree = Type.Cyclic(
  {
    Sum: Type.Union([
      Type.Object({ op: Type.Literal('number'), value: Type.Number() }),
      Type.Object({ op: Type.Literal('add'), left: Type.Ref('Sum'), right: Type.Ref('Sum') }),
    ]),
  },
  'Sum',
)

test.each<[string, JsonObject, string]>([
  ['selected by its discriminator', { op: 'number', value: 'x' }, "'tree/left/value' must be a number, got a string."],
  ['of no branch', { op: 'sub' }, '\'tree/left/op\' must be one of "number", "add".'],
])('a part of a recursive union %s', async (_what, left, expected) => {
  const tree = { op: 'add', left, right: { op: 'number', value: 1 } }

  expect(await whatIsWrong({ input: Type.Object({ tree: Tree }) }, { tree })).toBe(expected)
})
