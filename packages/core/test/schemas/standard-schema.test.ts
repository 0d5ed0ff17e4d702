import { type JsonObject, type StandardSchema, Type } from '@toolwright/core'
import { lanes } from '@toolwright/testing'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { serveTool } from './tool-with-schema.js'

const toDate = (text: string): Date => new Date(text)

/** The same schema in three libraries: a trimmed room that is not taken, a date, and a default. */
const libraries: readonly (readonly [string, StandardSchema])[] = [
  [
    'Zod',
    z.object({
      room: z
        .string()
        .trim()
        .refine((room) => room !== 'B', 'is taken'),
      day: z.iso.date().transform(toDate),
      seats: z.number().default(4),
    }),
  ],
  [
    'Valibot',
    toStandardJsonSchema(
      v.object({
        room: v.pipe(
          v.string(),
          v.transform((room) => room.trim()),
          v.check((room) => room !== 'B', 'is taken'),
        ),
        day: v.pipe(v.string(), v.isoDate(), v.transform(toDate)),
        seats: v.optional(v.number(), 4),
      }),
    ),
  ],
  [
    'ArkType',
    type({
      room: type('string.trim').narrow((room, context) => room !== 'B' || context.mustBe('free')),
      day: type('string.date.iso').pipe(toDate),
      seats: 'number = 4',
      '+': 'delete',
    }),
  ],
]

describe.each(libraries)('a schema of %s as input', (_library, input) => {
  it.each(lanes)('is listed by its input side over $lane, $era', async (lane) => {
    await using tool = await serveTool({ input }, lane)
    const { inputSchema } = await tool.list()
    expect(inputSchema).toMatchObject({
      type: 'object',
      properties: { room: { type: 'string' }, day: { type: 'string' }, seats: { type: 'number' } },
    })
    expect((inputSchema['required'] as string[]).toSorted()).toEqual(['day', 'room'])
    expect(inputSchema).not.toHaveProperty('$schema')
  })

  it.each(lanes)('hands over its output side over $lane, $era', async (lane) => {
    await using tool = await serveTool({ input }, lane)
    expect(await tool.call({ room: ' A ', day: '2026-01-31', extra: 1 })).toEqual({ text: 'done' })
    expect(tool.received).toEqual([{ room: 'A', day: new Date('2026-01-31'), seats: 4 }])
  })

  it('reports all mistakes with their path', async () => {
    await using tool = await serveTool({ input })
    const { isError, text } = await tool.call({ room: 'B', day: 5, seats: 'x' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^Invalid arguments for tool 'run': /)
    for (const name of ['room', 'day', 'seats']) expect(text.split(name)).toHaveLength(2)
    expect(tool.received).toEqual([])
  })
})

describe('the listed schema', () => {
  it('keeps every alternative of a union with a transformation, and accepts each', async () => {
    const input = z.object({ id: z.union([z.number(), z.string().transform(Number)]) })
    await using tool = await serveTool({ input })
    expect(await tool.list()).toMatchObject({
      inputSchema: { properties: { id: { type: ['number', 'string'] } } },
    })
    await tool.call({ id: 1 })
    await tool.call({ id: '2' })
    expect(tool.received).toEqual([{ id: 1 }, { id: 2 }])
  })

  it('of results requires a field with a default, because it is always sent', async () => {
    const output = z.object({ total: z.number().default(0), note: z.string().optional() })
    await using tool = await serveTool({ output }, { handler: () => ({}) })
    expect(await tool.list()).toMatchObject({ outputSchema: { required: ['total'] } })
    expect(await tool.call()).toMatchObject({ structured: { total: 0 } })
  })

  it.each(lanes)('of a discriminated union has an object at its root over $lane, $era', async (lane) => {
    const either = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), text: z.string() }),
      z.object({ kind: z.literal('b') }),
    ])
    await using tool = await serveTool({ input: either, output: either }, { handler: (args) => args, ...lane })
    const { inputSchema, outputSchema } = await tool.list()
    expect([inputSchema['type'], outputSchema?.['type']]).toEqual(['object', 'object'])
    expect(inputSchema['oneOf']).toHaveLength(2)
    expect(await tool.call({ kind: 'b' })).toMatchObject({ structured: { kind: 'b' } })
  })

  it('of a recursive schema is accepted by clients', async () => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node)
      },
    })
    await using tool = await serveTool({ input: Node, output: Node }, { handler: (args) => args })
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] }
    expect(await tool.call(tree)).toMatchObject({ structured: tree })
  })

  it('coerces what it lists as a number, although the client sends a string', async () => {
    await using tool = await serveTool({ input: z.object({ size: z.coerce.number() }) })
    expect(await tool.list()).toMatchObject({ inputSchema: { properties: { size: { type: 'number' } } } })
    await tool.call({ size: '5' })
    expect(tool.received).toEqual([{ size: 5 }])
  })

  it('carries descriptions and other members of a part', async () => {
    const region = z.string().meta({ title: 'Region', description: 'A region', 'x-mcp-header': 'Region' })
    await using tool = await serveTool({ input: z.object({ region }) })
    expect(await tool.list()).toMatchObject({
      inputSchema: { properties: { region: { title: 'Region', description: 'A region', 'x-mcp-header': 'Region' } } },
    })
  })
})

describe.each(lanes)('a result over $lane, $era', (lane) => {
  const loose = z.looseObject({ id: z.string() })

  it('has no members that the output schema strips', async () => {
    const output = z.object({ id: z.string(), tags: z.array(z.object({ name: z.string() })) })
    const handler = () => ({ id: '1', secret: 'x', tags: [{ name: 'a', secret: 'y' }] })
    await using tool = await serveTool({ output }, { handler, ...lane })
    const { structured, text } = await tool.call()
    expect(structured).toEqual({ id: '1', tags: [{ name: 'a' }] })
    expect(JSON.parse(text)).toEqual(structured)
  })

  it('passes the check of the official client when the schema allows further members', async () => {
    await using tool = await serveTool({ output: loose }, { handler: () => ({ id: '1', more: 2 }), ...lane })
    expect(await tool.call()).toMatchObject({ structured: { id: '1', more: 2 } })
  })

  it('is transformed by the output schema', async () => {
    const day = z
      .date()
      .transform((date) => date.toISOString())
      .pipe(z.iso.datetime())
    const output = z.object({ day })
    await using tool = await serveTool({ output }, { handler: async () => ({ day: new Date(0) }), ...lane })
    expect(await tool.call()).toMatchObject({ structured: { day: '1970-01-01T00:00:00.000Z' } })
  })
})

describe('a codec of TypeBox', () => {
  const day = Type.Codec(Type.String({ format: 'date-time' }))
    .Decode((text) => new Date(text))
    .Encode((date) => date.toISOString())
  const Booking = Type.Object({ day, seats: Type.Number({ default: 4 }) })

  it.each(lanes)('decodes arguments and encodes results over $lane, $era', async (lane) => {
    const handler = (args: unknown): unknown => args
    await using tool = await serveTool({ input: Booking, output: Booking }, { handler, ...lane })
    const { inputSchema } = await tool.list()
    expect((inputSchema['properties'] as JsonObject)['day']).toEqual({ type: 'string', format: 'date-time' })
    expect(await tool.call({ day: '2026-01-31T10:00:00Z' })).toMatchObject({
      structured: { day: '2026-01-31T10:00:00.000Z', seats: 4 },
    })
    expect(tool.received).toEqual([{ day: new Date('2026-01-31T10:00:00Z'), seats: 4 }])
  })

  it('decodes nothing when the encoded value is invalid', async () => {
    await using tool = await serveTool({ input: Booking })
    expect(await tool.call({ day: 'tomorrow' })).toMatchObject({
      isError: true,
      text: `Invalid arguments for tool 'run': 'day' must match the format "date-time".`,
    })
  })

  it('leaves the value of the handler unchanged', async () => {
    const booking = { day: new Date(0), seats: 1 }
    await using tool = await serveTool({ output: Booking }, { handler: () => booking })
    await tool.call()
    await tool.call()
    expect(booking.day).toEqual(new Date(0))
  })
})
