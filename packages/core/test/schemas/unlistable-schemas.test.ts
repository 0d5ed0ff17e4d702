import { McpTool } from '@toolwright/core'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'
import { findMistakes } from '../boot/find-problems.js'
import { serveTool } from './tool-with-schema.js'

/** Boot problems of a tool with this schema as input, without the text in front of them. */
async function problemsOf(input: unknown, option: 'input' | 'output' = 'input'): Promise<readonly string[]> {
  class Tools {
    @McpTool({ [option]: input })
    run(): string {
      return ''
    }
  }
  const prefix = `bad-schema: Tools.run: the ${option} schema `
  return (await findMistakes(Tools)).map((problem) => {
    expect(problem).toContain(prefix)
    return problem.slice(prefix.length)
  })
}

const takeString =
  'Take a value that JSON has, and transform it: for a date, a string with the format of a date that becomes a Date.'
const listsNothing =
  'the part accepts any value, or has a type that JSON does not have, such as a date. Describe the part if any value is ' +
  'accepted, otherwise take a value that JSON has, and transform it.'

describe('schemas that cannot be listed', () => {
  it('prevent the start when Zod has a date, with its path', async () => {
    expect(await problemsOf(z.object({ to: z.string(), delay: z.date() }))).toEqual([
      `cannot be listed as JSON Schema at 'delay': Date cannot be represented in JSON Schema. ${takeString}`,
    ])
  })

  it('name the path of a date that is hidden in a union', async () => {
    const delay = z.string().or(z.coerce.date()).optional()
    expect(await problemsOf(z.object({ when: z.object({ delay }) }))).toEqual([
      `cannot be listed as JSON Schema at 'when/delay': Date cannot be represented in JSON Schema. ${takeString}`,
    ])
  })

  it('are all reported at once, with other mistakes, before anything is served', async () => {
    class Tools {
      @McpTool({ input: z.object({ at: z.date() }) })
      first(_args: { at: Date }): void {}

      @McpTool({ input: z.object({ amount: z.bigint() }) })
      second(_args: { amount: bigint }): void {}

      @McpTool({ input: toStandardJsonSchema(v.object({ at: v.date() })) })
      third(_args: { at: Date }): void {}

      @McpTool({ input: type({ at: 'Date' }) })
      fourth(_args: { at: Date }): void {}
    }
    const problems = await findMistakes(Tools)
    expect(problems.map((problem) => problem.split('. ')[0])).toEqual([
      "bad-schema: Tools.first: the input schema cannot be listed as JSON Schema at 'at': Date cannot be represented in JSON Schema",
      "bad-schema: Tools.second: the input schema cannot be listed as JSON Schema at 'amount': BigInt cannot be represented in JSON Schema",
      `bad-schema: Tools.third: the input schema cannot be listed as JSON Schema at 'at': The "date" schema cannot be converted to JSON Schema`,
      "bad-schema: Tools.fourth: the input schema lists nothing at 'at': the part accepts any value, or has a type that JSON does not have, such as a date",
    ])
  })

  it('are found although ArkType lists a date as an empty schema without an error', async () => {
    expect(await problemsOf(type({ at: 'Date', 'days?': 'Date[]' }))).toEqual([
      `lists nothing at 'at', 'days/items': ${listsNothing}`,
    ])
    const parsed = type({ at: 'string.date.parse' })
    expect(await problemsOf(parsed)).toEqual([])
    expect(await problemsOf(parsed, 'output')).toEqual([`lists nothing at 'at': ${listsNothing}`])
  })

  it('are found when a schema accepts any value, unless the part is described', async () => {
    expect(await problemsOf(z.object({ a: z.unknown() }))).toEqual([`lists nothing at 'a': ${listsNothing}`])
    expect(await problemsOf(z.object({ a: z.unknown().describe('Any JSON') }))).toEqual([])
  })

  it('carry the text of the library when its conversion fails in another way', async () => {
    const broken = z.object({ a: z.lazy(() => undefined as never) })
    const [problem] = await problemsOf(broken)
    expect(problem).toMatch(/^cannot be listed as JSON Schema: Cannot read properties of undefined/)
  })

  it('name the output side of a transformation whose result is unknown', async () => {
    const length = z.object({ size: z.string().transform((text) => text.length) })
    expect(await problemsOf(length)).toEqual([])
    expect(await problemsOf(length, 'output')).toEqual([
      "cannot be listed as JSON Schema at 'size': Transforms cannot be represented in JSON Schema. Results are listed by the output " +
        'side: end a transformation with a schema of its result, and return dates as strings.',
    ])
    const piped = z.object({
      size: z
        .string()
        .transform((text) => text.length)
        .pipe(z.number()),
    })
    expect(await problemsOf(piped, 'output')).toEqual([])
  })

  it.each([
    ['z.string()', z.string(), 'the type "string"'],
    ['an array', z.array(z.string()), 'the type "array"'],
    ['a union with a string', z.union([z.object({}), z.string()]), 'values that are not only objects'],
  ])('are found when arguments are no object: %s', async (_name, schema, found) => {
    expect(await problemsOf(schema)).toEqual([
      `is listed with ${found} at its root. Arguments are an object: give a schema of an object.`,
    ])
  })
})

describe('schemas without the JSON Schema part of the standard', () => {
  const without = (vendor: string): string =>
    `is a schema of ${vendor} without the JSON Schema part of Standard Schema (~standard.jsonSchema). `
  const updateZod =
    'Update zod to 4.2 or newer, and import from zod, not from zod/v3. With zod/mini, give z.toJSONSchema(schema).'

  /** As in Zod 4.0 and 4.1. */
  function withoutPart(schema: z.ZodType): unknown {
    const { jsonSchema: _jsonSchema, ...standard } = schema['~standard']
    return Object.defineProperty(Object.create(schema) as object, '~standard', { value: standard })
  }

  it.each([
    ['Zod 3', z3.object({ a: z3.string() }), without('zod') + updateZod],
    ['Zod 4.1', withoutPart(z.object({})), without('zod') + updateZod],
    ['Zod Mini', mini.object({ a: mini.string() }), without('zod') + updateZod],
    [
      'Valibot',
      v.object({ a: v.string() }),
      `${without('valibot')}Wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema 1.5 or newer.`,
    ],
    [
      'another library',
      { '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) } },
      `${without('mine')}Use a version of the library that has it, or give plain JSON Schema.`,
    ],
  ])('name what %s needs', async (_library, schema, problem) => {
    expect(await problemsOf(schema)).toEqual([problem])
  })

  it('work when they are wrapped as the report says', async () => {
    const wrapped = [
      mini.toJSONSchema(mini.object({ a: mini.string() })),
      toStandardJsonSchema(v.object({ a: v.string() })),
    ]
    for (const input of wrapped) {
      // oxlint-disable-next-line no-await-in-loop
      await using tool = await serveTool({ input })
      // oxlint-disable-next-line no-await-in-loop
      expect(await tool.call({ a: 'x', b: 1 })).toEqual({ text: 'done' })
      expect(tool.received).toEqual([{ a: 'x' }])
    }
  })

  it('are rejected as inputSchema, because their checks would not run', async () => {
    class Tools {
      @McpTool({ inputSchema: z.object({ a: z.string() }) as never })
      run(): void {}
    }
    expect(await findMistakes(Tools)).toEqual([
      'bad-schema: Tools.run: the input schema is a schema of another library. Give it as input, which also runs its checks.',
    ])
  })
})
