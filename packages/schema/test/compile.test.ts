import {
  type CompiledSchema,
  checkShape,
  compileJsonSchema,
  compileStandard,
  compileTypeBox,
  describeErrors,
  isOfObjects,
  parseValue,
  SchemaError,
  Type,
  toUsableSchema,
  withOptionalDefaults,
} from '@toolwright/schema'
import { z } from 'zod'

const schemas: Readonly<Record<string, CompiledSchema>> = {
  TypeBox: compileTypeBox(Type.Object({ city: Type.String(), days: Type.Integer({ minimum: 1, maximum: 14 }) })),
  'JSON Schema': compileJsonSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
    required: ['city', 'days'],
  }),
  'Standard Schema': compileStandard(z.object({ city: z.string(), days: z.int().min(1).max(14) })),
}

function describeMistakes({ check, errors }: CompiledSchema, value: unknown): string | null {
  return check(value) ? null : describeErrors(errors(value), value, 'the forecast')
}

describe.each(Object.entries(schemas))('a schema of %s', (_kind, schema) => {
  test('accepts a valid value', () => {
    expect(describeMistakes(schema, { city: 'Bern', days: 3 })).toBeNull()
  })

  test.each([
    [{ city: 'Bern', days: 30 }, "'days' must be at most 14"],
    [{ days: 3 }, "the forecast is missing required property 'city'"],
    [{ city: 5, days: '3' }, "'city' must be a string, got a number; 'days' must be an integer, got a string"],
    [null, 'the forecast must be an object, got null'],
  ])('describes the mistakes of %j', (value, described) => {
    expect(describeMistakes(schema, value)).toBe(described)
  })

  test('is published as JSON Schema of objects', () => {
    expect(schema.wire).toMatchObject({ type: 'object', required: ['city', 'days'] })
    expect(JSON.parse(JSON.stringify(schema.wire))).toEqual(schema.wire)
    expect(isOfObjects(schema.wire)).toBe(true)
  })
})

test('a schema of Zod transforms values, and reports the messages of Zod', async () => {
  const schema = compileStandard(
    z.object({ at: z.iso.date().transform((text) => new Date(text)), note: z.string().min(2, 'is too short') }),
  )

  expect(parseValue(schema, { at: '2031-01-02', note: 'ok' })).toEqual({
    value: { at: new Date('2031-01-02'), note: 'ok' },
  })
  const value = { at: '2031-01-02', note: 'x' }
  const { errors = [] } = await parseValue(schema, value)
  expect(describeErrors(errors, value, 'the note')).toBe("'note': is too short")
})

test('a schema with asynchronous checks returns a promise', async () => {
  const isFree = async (name: string): Promise<boolean> => name !== 'admin'
  const schema = compileStandard(z.object({ name: z.string().refine(isFree, 'is taken') }))

  const [free, taken] = [parseValue(schema, { name: 'ada' }), parseValue(schema, { name: 'admin' })]

  expect(await free).toEqual({ value: { name: 'ada' } })
  expect(await taken).toEqual({ errors: [expect.objectContaining({ instancePath: '/name', message: 'is taken' })] })
})

test('a codec of TypeBox decodes input, and encodes output', () => {
  const Day = Type.Codec(Type.String({ format: 'date' }))
    .Decode((text) => new Date(text))
    .Encode((day) => day.toISOString().slice(0, 10))

  expect(parseValue(compileTypeBox(Day), '2031-01-02')).toEqual({ value: new Date('2031-01-02') })
  expect(parseValue(compileTypeBox(Day, 'output'), new Date('2031-01-02'))).toEqual({ value: '2031-01-02' })
})

test('defaults are filled in, and published as optional', () => {
  const schema = compileTypeBox(Type.Object({ days: Type.Integer({ default: 3 }), city: Type.String() }))

  expect(parseValue(schema, { city: 'Bern' })).toEqual({ value: { city: 'Bern', days: 3 } })
  expect(parseValue(schema, {})).toEqual({ errors: [expect.objectContaining({ keyword: 'required' })] })
  expect(withOptionalDefaults(schema.wire)['required']).toEqual(['city'])
})

test('defaults are filled into the given value, even if it is invalid', async () => {
  const schema = compileJsonSchema({ properties: { days: { default: 3 } }, required: ['city'] })
  const value = {}

  expect(await parseValue(schema, value)).toHaveProperty('errors')
  expect(value).toEqual({ days: 3 })
})

test.each([
  [
    'a codec of TypeBox',
    compileTypeBox(
      Type.Object({
        days: Type.Integer({ default: 3 }),
        at: Type.Codec(Type.String())
          .Decode((text) => new Date(text))
          .Encode(String),
      }),
    ),
  ],
  ['Zod', compileStandard(z.object({ days: z.int().default(3), at: z.string().transform((text) => new Date(text)) }))],
])('a value that %s transforms is a copy', async (_, schema) => {
  const value = { at: '2031-01-02' }

  expect(await parseValue(schema, value)).toEqual({ value: { at: new Date('2031-01-02'), days: 3 } })
  expect(value).toEqual({ at: '2031-01-02' })
})

test('strings are converted to the types of the schema', () => {
  const { convert } = compileTypeBox(Type.Object({ days: Type.Integer(), isHourly: Type.Boolean() }))

  expect(convert?.({ days: '3', isHourly: 'true' })).toEqual({ days: 3, isHourly: true })
})

test.each([
  ['a type that JSON does not have', () => compileTypeBox(Type.BigInt()), /^has the type bigint at its root/],
  [
    'a misspelled format',
    () => compileTypeBox(Type.String({ format: 'dateTime' })),
    "has the format 'dateTime', which checks nothing. Write 'date-time'",
  ],
  [
    'a reference to another document',
    () => compileJsonSchema({ $ref: 'https://example.com/other.json' }),
    'refers to https://example.com/other.json, which is not part of the schema. Add that schema under $defs: schemas are not fetched',
  ],
  [
    'an unknown dialect',
    () => compileJsonSchema({ $schema: 'http://json-schema.org/draft-04/schema#' }),
    /^is written in the dialect/,
  ],
  ['a part without a JSON Schema', () => compileStandard(z.object({ at: z.date() })), /'at'/],
])('%s is an error of the schema', (_mistake, compile, message) => {
  expect(compile).toThrow(SchemaError)
  expect(compile).toThrow(message)
})

test('a usable copy of a schema has no invalid parts', () => {
  const schema = { type: 'object', properties: { a: { type: 'text', minLength: 2 }, b: { $ref: 'other.json' } } }

  expect(toUsableSchema(schema)).toEqual({ type: 'object', properties: { a: { minLength: 2 }, b: {} } })
  expect(toUsableSchema('text')).toEqual({})
})

test('the shape of a value is described, or null', () => {
  const describeMistake = checkShape(Type.Object({ port: Type.Integer() }))

  expect(describeMistake({ port: 80 }, 'the settings')).toBeNull()
  expect(describeMistake({ port: '80' }, 'the settings')).toBe("'port' must be an integer, got a string")
})
