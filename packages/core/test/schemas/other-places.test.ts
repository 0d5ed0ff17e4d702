// Standard Schema in prompts, resource templates, forms and configuration.

import {
  Authorize,
  acceptedContent,
  BootError,
  inputRequired,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  type StandardSchema,
  Type,
} from '@toolwright/core'
import { loadConfig } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { findMistakes } from '../boot/find-problems.js'

const date = (text: string): Date => new Date(text)
const free = async (room: string): Promise<boolean> => room !== 'B'

describe('arguments of a prompt', () => {
  const received: unknown[] = []

  const schemas: readonly (readonly [string, StandardSchema])[] = [
    [
      'Zod',
      z.object({
        day: z.iso.date().transform(date),
        seats: z.number().int(),
        loud: z.boolean().optional(),
        tags: z.array(z.string()).optional(),
      }),
    ],
    [
      'Valibot',
      toStandardJsonSchema(
        v.object({
          day: v.pipe(v.string(), v.transform(date)),
          seats: v.number(),
          loud: v.optional(v.boolean()),
          tags: v.optional(v.array(v.string())),
        }),
      ),
    ],
    ['ArkType', type({ day: type('string').pipe(date), seats: 'number', 'loud?': 'boolean', 'tags?': 'string[]' })],
  ]

  it.each(schemas)('of %s are converted from strings, and then parsed', async (_library, input) => {
    class Prompts {
      @McpPrompt({ input })
      plan(args: unknown): string {
        received.push(args)
        return 'Plan'
      }
    }
    await using connection = await connect({ name: 'test', version: '1', controllers: [Prompts] })
    const { prompts } = await connection.client.listPrompts()
    expect(prompts[0]?.arguments?.map(({ name, required }) => [name, required]).toSorted()).toEqual([
      ['day', true],
      ['loud', false],
      ['seats', true],
      ['tags', false],
    ])
    const args = { day: '2026-01-31', seats: '4', loud: 'true', tags: '1' }
    await connection.client.getPrompt({ name: 'plan', arguments: args })
    expect(received.pop()).toEqual({ day: date('2026-01-31'), seats: 4, loud: true, tags: ['1'] })
    await expect(
      connection.client.getPrompt({ name: 'plan', arguments: { ...args, seats: 'four' } }),
    ).rejects.toMatchObject({
      data: { detail: expect.stringMatching(/^Invalid arguments for prompt 'plan': .*seats/) },
    })
    await expect(
      connection.client.getPrompt({ name: 'plan', arguments: { ...args, seats: '90071992547409930' } }),
    ).rejects.toMatchObject({ data: { detail: expect.stringContaining('seats') } })
  })

  it('that take strings as well stay strings', async () => {
    const input = z.object({ id: z.union([z.number(), z.string()]), size: z.coerce.number() })
    class Prompts {
      @McpPrompt({ input })
      show(args: unknown): string {
        received.push(args)
        return ''
      }
    }
    await using connection = await connect({ name: 'test', version: '1', controllers: [Prompts] })
    await connection.client.getPrompt({ name: 'show', arguments: { id: '5', size: '6' } })
    expect(received.pop()).toEqual({ id: '5', size: 6 })
  })

  it('that no client can send prevent the start', async () => {
    class Prompts {
      @McpPrompt({ input: z.object({ where: z.object({ city: z.string() }) }) })
      show(_args: { where: { city: string } }): string {
        return ''
      }
    }
    const [problem] = await findMistakes(Prompts)
    expect(problem).toContain("has 'where', which no client can send")
  })

  it('reach policies parsed', async () => {
    class Prompts {
      @McpPrompt({ input: z.object({ day: z.iso.date().transform(date) }) })
      @Authorize({
        policy: ({ arguments: args }) => {
          received.push(args)
          return true
        },
      })
      show(_args: { day: Date }): string {
        return ''
      }
    }
    const options = { name: 'test', version: '1', controllers: [Prompts] }
    await using connection = await connect(options, { principal: { subject: 'ada' } })
    await connection.client.getPrompt({ name: 'show', arguments: { day: '2026-01-31' } })
    expect(received.pop()).toEqual({ day: date('2026-01-31') })
  })
})

describe('variables of a resource template', () => {
  let parsings = 0

  class Days {
    @McpResource('days://{day}/rooms/{room}', {
      input: z.object({
        day: z.iso.date().transform((text) => {
          parsings++
          return date(text)
        }),
        room: z.coerce.number().refine(async (room) => room !== 13, 'is taken'),
      }),
    })
    room({ day, room }: { day: Date; room: number }): object {
      return { year: day.getUTCFullYear(), room }
    }

    @McpResource('days://{day}/rooms/{title}')
    titled({ title }: { day: string; title: string }): string {
      return `the room ${title}`
    }

    @McpResource('secret://{id}', { input: z.object({ id: z.string().transform(() => parsings++) }) })
    @Authorize({ roles: ['admin'] })
    secret(_variables: { id: number }): string {
      return 'secret'
    }

    @McpResource('broken://{id}', {
      input: z.object({
        id: z.string().transform((): string => {
          throw new Error('secret of the database')
        }),
      }),
    })
    broken(_variables: { id: string }): string {
      return ''
    }
  }

  const options = { name: 'test', version: '1', controllers: [Days] }
  const principal = { subject: 'ada' }
  const textOf = (contents: readonly object[]): unknown => (contents[0] as { readonly text?: unknown }).text

  it.each(lanes)('are parsed once over $lane, $era', async (lane) => {
    await using connection = await connect(options, { ...lane, principal })
    parsings = 0
    const { contents } = await connection.client.readResource({ uri: 'days://2026-01-31/rooms/4' })
    expect(textOf(contents)).toBe('{"year":2026,"room":4}')
    // Zod runs a transformation again when a refinement of the same schema is asynchronous.
    expect(parsings).toBeLessThanOrEqual(2)
  })

  it('that the schema rejects let another template serve the URI', async () => {
    await using connection = await connect(options, { principal })
    for (const room of ['13', 'blue']) {
      // oxlint-disable-next-line no-await-in-loop
      const { contents } = await connection.client.readResource({ uri: `days://2026-01-31/rooms/${room}` })
      expect(textOf(contents)).toBe(`the room ${room}`)
    }
  })

  it('are not parsed for callers without the role of the template', async () => {
    await using connection = await connect(options, { principal })
    parsings = 0
    await expect(connection.client.readResource({ uri: 'secret://1' })).rejects.toThrow('Forbidden')
    expect(parsings).toBe(0)
  })

  it('tell nothing of an error that their schema throws', async () => {
    await using connection = await connect(options, { principal })
    const failure = await connection.client.readResource({ uri: 'broken://1' }).catch((error: Error) => error)
    const { message } = failure as Error
    expect(message).toContain('Internal error')
    expect(JSON.stringify([failure, message])).not.toContain('database')
  })
})

describe('forms', () => {
  const Form = z.object({
    email: z.email(),
    day: z.iso.date().transform(date),
    seats: z.number().default(2),
    room: z.enum(['A', 'B']).refine(free, 'is taken'),
  })
  const forms: readonly (readonly [string, StandardSchema])[] = [
    ['Zod', Form],
    [
      'Valibot',
      toStandardJsonSchema(
        v.objectAsync({
          email: v.pipe(v.string(), v.email()),
          day: v.pipe(v.string(), v.isoDate(), v.transform(date)),
          seats: v.optional(v.number(), 2),
          room: v.picklist(['A', 'B']),
        }) as never,
      ),
    ],
    ['ArkType', type({ email: 'string', day: type('string').pipe(date), seats: 'number = 2', room: "'A' | 'B'" })],
  ]
  const received: unknown[] = []

  it.each(forms.flatMap(([name, schema]) => lanes.map((lane) => [name, lane.lane, lane.era, schema, lane] as const)))(
    'of %s are sent as fields, and the answer is parsed, over %s, %s',
    async (name, _lane, _era, schema, lane) => {
      class Tools {
        @McpTool({ input: Type.Object({}) })
        async ask(_args: object, context: McpContext): Promise<string> {
          const { action, content } = await context.elicit({ message: 'When?', schema: schema as typeof Form })
          received.push(content)
          return action
        }
      }
      const client = { capabilities: { elicitation: {} } }
      await using connection = await connect({ name: 'test', version: '1', controllers: [Tools] }, { ...lane, client })
      const sent: unknown[] = []
      connection.client.setRequestHandler('elicitation/create', (request: { params: object }) => {
        sent.push(request.params)
        return { action: 'accept', content: { email: 'ada@example.com', day: '2026-01-31', room: 'A' } } as never
      })
      await connection.client.callTool({ name: 'ask' })
      expect(received.pop()).toEqual({ email: 'ada@example.com', day: date('2026-01-31'), seats: 2, room: 'A' })
      expect(JSON.stringify(sent)).not.toContain('"pattern"')
      expect(JSON.stringify(sent).includes('"format":"email"')).toBe(name !== 'ArkType')
    },
  )

  it('reject an answer that does not match', async () => {
    class Tools {
      @McpTool({ input: Type.Object({}) })
      async ask(_args: object, context: McpContext): Promise<string> {
        return (await context.elicit({ message: 'When?', schema: Form })).action
      }
    }
    const client = { capabilities: { elicitation: {} } }
    const options = { name: 'test', version: '1', controllers: [Tools] }
    await using connection = await connect(options, { era: 'legacy', client })
    connection.client.setRequestHandler('elicitation/create', () => {
      return { action: 'accept', content: { email: 'ada@example.com', day: '2026-01-31', room: 'B' } } as never
    })
    expect(await connection.client.callTool({ name: 'ask' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("'room': is taken") }],
    })
  })

  it('of inputRequired are parsed when the schema is synchronous', async () => {
    const Room = z.object({ room: z.string().trim() })
    const Later = z.object({ room: z.string().refine(free) })
    class Tools {
      @McpTool()
      ask(context: McpContext): string {
        const accepted = acceptedContent(context.inputResponses, 'room', Room)
        if (accepted !== undefined) {
          return `${accepted.room}: ${messageOf(() => acceptedContent(context.inputResponses, 'room', Later))}`
        }
        const requestedSchema = { type: 'object', properties: { room: { type: 'string' } } }
        return inputRequired({
          inputRequests: {
            room: { method: 'elicitation/create', params: { mode: 'form', message: 'Which?', requestedSchema } },
          },
        })
      }
    }
    const client = { capabilities: { elicitation: {} } }
    await using connection = await connect({ name: 'test', version: '1', controllers: [Tools] }, { client })
    connection.client.setRequestHandler(
      'elicitation/create',
      () => ({ action: 'accept', content: { room: ' A ' } }) as never,
    )
    expect(await connection.client.callTool({ name: 'ask' })).toMatchObject({
      content: [{ text: 'A: acceptedContent does not wait for an asynchronous schema. Use context.elicit.' }],
    })
  })

  it('name a field that no form has, and a schema that cannot be listed', async () => {
    const failures: string[] = []
    class Tools {
      @McpTool()
      async ask(context: McpContext): Promise<void> {
        for (const schema of [
          z.object({ a: z.object({}) }),
          z.object({ a: z.date() }),
          z.object({ a: z.string().regex(/a/) }),
        ]) {
          // oxlint-disable-next-line no-await-in-loop
          await Promise.resolve()
            .then(() => context.elicit({ message: '', schema }))
            .catch((error: Error) => void failures.push(error.message))
        }
      }
    }
    await using connection = await connect(
      { name: 'test', version: '1', controllers: [Tools] },
      { client: { capabilities: { elicitation: {} } } },
    )
    await connection.client.callTool({ name: 'ask' }).catch(() => undefined)
    expect(failures.map((failure) => failure.slice(0, 60))).toEqual([
      expect.stringContaining("A form cannot ask for 'a'"),
      expect.stringContaining("The schema of a form cannot be listed as JSON Schema at 'a'"),
      expect.stringContaining("A form cannot ask for 'a'"),
    ])
  })
})

describe('loadConfig', () => {
  const schemas: readonly (readonly [string, StandardSchema<unknown, object>])[] = [
    [
      'Zod',
      z.object({
        PORT: z.number().default(3000),
        DEBUG: z.boolean(),
        HOSTS: z.array(z.string()),
        KEY: z.string().min(8).describe('The key of the API'),
      }),
    ],
    [
      'Valibot',
      toStandardJsonSchema(
        v.object({
          PORT: v.optional(v.number(), 3000),
          DEBUG: v.boolean(),
          HOSTS: v.array(v.string()),
          KEY: v.pipe(v.string(), v.minLength(8)),
        }),
      ),
    ],
    ['ArkType', type({ PORT: 'number = 3000', DEBUG: 'boolean', HOSTS: 'string[]', KEY: 'string >= 8' })],
  ]

  it.each(schemas)('reads variables with a schema of %s', (_library, schema) => {
    const config = loadConfig(schema, { DEBUG: 'true', HOSTS: 'a, b,', KEY: 'long enough', HOME: '/root' })
    expect(config).toEqual({ PORT: 3000, DEBUG: true, HOSTS: ['a', 'b'], KEY: 'long enough' })
    expect(Object.isFrozen(config)).toBe(true)
  })

  it.each(schemas)('reports all mistakes with a schema of %s, without a value', (library, schema) => {
    const problems = problemsOf(schema, { PORT: 'hunter2', HOSTS: 'a', KEY: 'hunter3' })
    const key = library === 'Zod' ? ' (The key of the API)' : ''
    expect(problems.toSorted()).toEqual([
      'The environment variable DEBUG is not set.',
      `The environment variable KEY must be at least 8 characters long${key}.`,
      'The environment variable PORT must be a number.',
    ])
  })

  it('removes values from messages of refinements', () => {
    const secret = (value: string): boolean => value === ''
    const schema = z.object({
      KEY: z
        .string()
        .refine(secret, { error: ({ input }) => `is no key: ${String(input)}, ${String(input).toUpperCase()}` }),
    })
    expect(problemsOf(schema, { KEY: 'hunter2' })).toEqual([
      'The environment variable KEY is invalid: is no key: …, ….',
    ])
    const narrowed = type({ KEY: type('string').narrow((value, context) => secret(value) || context.mustBe('a key')) })
    expect(problemsOf(narrowed, { KEY: 'hunter2' })).toEqual([
      'The environment variable KEY is invalid: KEY must be a key (was "…").',
    ])
  })

  it('parses, and reports rules about several variables', () => {
    const schema = z
      .object({
        A: z.string().optional(),
        B: z
          .string()
          .transform((text) => text.length)
          .optional(),
      })
      .refine(({ A, B }) => A !== undefined || B !== undefined, 'A or B must be set')
    expect(loadConfig(schema, { B: 'four' })).toEqual({ B: 4 })
    expect(problemsOf(schema, {})).toEqual(['The environment is invalid: A or B must be set.'])
  })

  it.each([
    [
      'has no properties',
      z.string(),
      'loadConfig: the schema has no properties. Give an object with a property for each variable.',
    ],
    [
      'is asynchronous',
      z.object({ A: z.string().refine(free) }),
      'loadConfig: the schema is asynchronous, and loadConfig does not wait. Use a synchronous schema.',
    ],
    [
      'cannot be listed',
      v.object({ A: v.string() }),
      'loadConfig: the schema is a schema of valibot without the JSON Schema part of Standard Schema (~standard.jsonSchema). Wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema 1.5 or newer.',
    ],
  ])('rejects a schema that %s', (_reason, schema, problem) => {
    expect(problemsOf(schema, { A: 'x' })).toEqual([problem])
  })

  it('decodes codecs of TypeBox', () => {
    const schema = Type.Object({ AT: Type.Decode(Type.String({ format: 'date' }), date) })
    expect(loadConfig(schema, { AT: '2026-01-31' })).toEqual({ AT: date('2026-01-31') })
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function problemsOf(schema: StandardSchema, environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(schema, environment)
    return []
  } catch (error) {
    if (error instanceof BootError) return error.diagnostics.map(({ message }) => message)
    throw error
  }
}
