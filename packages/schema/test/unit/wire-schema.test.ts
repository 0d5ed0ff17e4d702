import { Type } from '../../src/typebox.js'
import { toWireSchema } from '../../src/wire-schema.js'

const string = { type: 'string' }
const number = { type: 'number' }

describe('toWireSchema', () => {
  it('removes the members of TypeBox, and keeps the members of the author', () => {
    const schema = Type.Object(
      { a: Type.Optional(Type.String({ format: 'email', 'x-own': { deep: true } })) },
      { title: 'A', additionalProperties: false },
    )

    const { schema: wire, foreignTypes } = toWireSchema(schema)

    expect(foreignTypes).toEqual([])
    expect(wire).toStrictEqual({
      type: 'object',
      properties: { a: { type: 'string', format: 'email', 'x-own': { deep: true } } },
      title: 'A',
      additionalProperties: false,
    })
    expect(Reflect.ownKeys(wire['properties'] as object)).toEqual(['a'])
    expect(Reflect.ownKeys(wire)).toEqual(['type', 'properties', 'title', 'additionalProperties'])
  })

  it('writes an empty tuple without prefixItems, which may not be empty', () => {
    expect(toWireSchema(Type.Tuple([])).schema).toStrictEqual({ type: 'array', items: false, minItems: 0 })
  })

  it('writes tuples with prefixItems, at every depth', () => {
    const pair = Type.Tuple([Type.String(), Type.Number()])
    const wirePair = { type: 'array', prefixItems: [string, number], items: false, minItems: 2 }
    const schema = Type.Object({
      pair,
      pairs: Type.Array(pair),
      nested: Type.Tuple([pair]),
      either: Type.Union([pair, Type.Null()]),
      byName: Type.Record(Type.String(), pair),
    })

    expect(toWireSchema(schema).schema['properties']).toStrictEqual({
      pair: wirePair,
      pairs: { type: 'array', items: wirePair },
      nested: { type: 'array', prefixItems: [wirePair], items: false, minItems: 1 },
      either: { anyOf: [wirePair, { type: 'null' }] },
      byName: { type: 'object', patternProperties: { '^.*$': wirePair } },
    })
  })

  it('converts properties with the names of keywords', () => {
    const tuple = Type.Tuple([Type.String()])
    const wireTuple = { type: 'array', prefixItems: [string], items: false, minItems: 1 }
    const schema = Type.Object({ items: tuple, default: tuple, enum: tuple, type: tuple, required: tuple })

    expect(toWireSchema(schema).schema['properties']).toStrictEqual({
      items: wireTuple,
      default: wireTuple,
      enum: wireTuple,
      type: wireTuple,
      required: wireTuple,
    })
  })

  it('keeps data unchanged, also if it resembles a schema', () => {
    const data = { type: 'bigint', items: [1, 2], additionalItems: false }
    const schema = Type.Object({}, { default: data, examples: [data], enum: [data], const: data })

    expect(toWireSchema(schema)).toStrictEqual({
      schema: {
        type: 'object',
        properties: {},
        default: data,
        examples: [data],
        enum: [data],
        const: data,
      },
      foreignTypes: [],
    })
  })

  it('finds types that JSON does not have', () => {
    const schema = Type.Object({
      a: Type.BigInt(),
      list: Type.Array(Type.Tuple([Type.String(), Type.Undefined()])),
      either: Type.Union([Type.Null(), Type.Symbol()]),
    })

    expect(toWireSchema(schema).foreignTypes).toEqual([
      'bigint at properties/a',
      'undefined at properties/list/items/items/1',
      'symbol at properties/either/anyOf/1',
    ])
    expect(toWireSchema(Type.Void()).foreignTypes).toEqual(['void at its root'])
  })
})
