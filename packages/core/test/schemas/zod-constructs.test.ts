// Each construct is called through a client, and has to give the result of `safeParse`.
import { z } from 'zod'
import { serveTool } from './tool-with-schema.js'

const upper = (text: string): string => text.toUpperCase()

/** A construct, a value of the property `v`, and another value that it rejects. */
const constructs: readonly (readonly [string, z.ZodType, unknown, unknown?])[] = [
  ['string', z.string(), 'a', 1],
  ['string with min and max', z.string().min(2).max(3), 'ab', 'a'],
  ['trim before a pattern', z.string().trim().regex(/^a+$/), '  aa ', ' b '],
  [
    'toLowerCase before a pattern',
    z
      .string()
      .toLowerCase()
      .regex(/^[a-z]+$/),
    'ABC',
    '1',
  ],
  ['toUpperCase', z.string().toUpperCase(), 'abc', 1],
  ['a pattern with the flag i', z.string().regex(/^abc$/i), 'ABC', 'abd'],
  ['startsWith', z.string().startsWith('a'), 'abc', 'bc'],
  ['email', z.email(), 'ada@example.com', 'ada'],
  ['url', z.url(), 'https://example.com', 'nothing'],
  ['uuid', z.uuid(), '6f2d9a3e-4b1c-4d5e-8f7a-0b1c2d3e4f5a', 'x'],
  ['iso date', z.iso.date(), '2026-01-31', '2026-02-31'],
  ['iso datetime', z.iso.datetime(), '2026-01-31T10:00:00Z', '2026-01-31'],
  ['base64', z.base64(), 'AAAA', '*'],
  ['number', z.number(), 1.5, '1.5'],
  ['int', z.int(), 3, 3.5],
  ['positive', z.number().positive(), 1, 0],
  ['multipleOf', z.number().multipleOf(5), 10, 11],
  ['coerce.number', z.coerce.number(), '5', 'five'],
  ['coerce.boolean', z.coerce.boolean(), 'yes'],
  ['coerce.string', z.coerce.string(), 5],
  ['stringbool', z.stringbool(), 'off', 'maybe'],
  ['boolean', z.boolean(), true, 'true'],
  ['null', z.null(), null, 0],
  ['literal', z.literal('a'), 'a', 'b'],
  ['literals', z.literal([1, 2]), 2, 3],
  ['enum', z.enum(['a', 'b']), 'b', 'c'],
  ['optional', z.string().optional(), undefined, 1],
  ['nullable', z.string().nullable(), null, 1],
  ['nullish', z.string().nullish(), undefined, 1],
  ['default', z.string().default('x'), undefined, 1],
  [
    'a default behind a transform',
    z
      .string()
      .transform((text) => text.length)
      .default(7),
    undefined,
    1,
  ],
  ['prefault', z.string().transform(upper).prefault('x'), undefined, 1],
  ['catch', z.number().catch(7), 'no number'],
  ['transform to another type', z.string().transform((text) => text.length), 'abc', 1],
  ['transform to a date', z.iso.date().transform((day) => new Date(day)), '2026-01-31', 'x'],
  ['pipe', z.string().transform(Number).pipe(z.number().min(5)), '6', '4'],
  ['preprocess', z.preprocess((value) => (value === '' ? 0 : value), z.number()), '', 'x'],
  [
    'codec',
    z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }),
    '2026-01-31T10:00:00Z',
    'x',
  ],
  ['refine', z.string().refine((text) => text !== 'taken', 'is taken'), 'free', 'taken'],
  ['superRefine', z.string().superRefine((text, context) => void (text === 'b' && context.addIssue('is b'))), 'a', 'b'],
  ['overwrite', z.string().overwrite(upper), 'abc', 1],
  ['an asynchronous refinement', z.string().refine(async (text) => text !== 'taken', 'is taken'), 'free', 'taken'],
  ['array', z.array(z.string().trim()).min(1), [' a '], []],
  ['tuple', z.tuple([z.string(), z.coerce.number()]), ['a', '1'], ['a']],
  ['set of a transformed array', z.array(z.string()).transform((items) => new Set(items)), ['a', 'a'], 'a'],
  ['record', z.record(z.string(), z.number()), { a: 1 }, { a: 'x' }],
  ['object that strips unknown properties', z.object({ a: z.string() }), { a: 'x', extra: 1 }, { extra: 1 }],
  ['strictObject', z.strictObject({ a: z.string() }), { a: 'x' }, { a: 'x', extra: 1 }],
  ['looseObject', z.looseObject({ a: z.string() }), { a: 'x', extra: 1 }, { extra: 1 }],
  ['catchall', z.object({ a: z.string() }).catchall(z.number()), { a: 'x', extra: 1 }, { a: 'x', extra: 'y' }],
  ['union with a transformed alternative', z.union([z.number(), z.string().transform(Number)]), '5', true],
  [
    'discriminated union with a default',
    z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), n: z.number().default(3) }),
      z.object({ k: z.literal('b') }),
    ]),
    { k: 'a' },
    { k: 'c' },
  ],
  [
    'intersection',
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    { a: 'x', b: 'y' },
    { a: 'x' },
  ],
  ['readonly', z.array(z.string()).readonly(), ['a'], 'a'],
  ['brand', z.string().brand<'Id'>(), 'a', 1],
  ['json', z.json(), { a: [1, null] }],
]

describe.each(constructs)('a Zod schema with %s', (_name, construct, accepted, ...rejected) => {
  const input = z.object({ v: construct })

  it('hands over what safeParse returns', async () => {
    const args = accepted === undefined ? {} : { v: accepted }
    const { data } = await input.safeParseAsync(args)
    await using tool = await serveTool({ input })
    expect(await tool.call(args)).toMatchObject({ text: 'done' })
    expect(tool.received).toEqual([data])
  })

  if (rejected.length === 0) return

  it('rejects with the messages of safeParse', async () => {
    const args = { v: rejected[0] }
    const { error } = await input.safeParseAsync(args)
    const messages = error?.issues.map(({ path, message }) => `'${path.join('/')}': ${message}`) ?? []
    await using tool = await serveTool({ input })
    expect(await tool.call(args)).toMatchObject({
      isError: true,
      text: `Invalid arguments for tool 'run': ${messages.join('; ')}.`,
    })
    expect(tool.received).toEqual([])
  })
})
