// Compiled with the other tests and never run: code that the compiler accepts, and code that it rejects.

import {
  type Catalog,
  type Infer,
  type McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  Model,
  result,
  type Static,
  type StaticDecode,
  Type,
} from '@toolwright/core'
import { loadConfig } from '@toolwright/server'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { expectSame } from './expect-type.js'

const toDate = (text: string): Date => new Date(text)

const ZodBooking = z.object({ day: z.iso.date().transform(toDate), seats: z.number().default(4) })
const ValibotBooking = toStandardJsonSchema(
  v.object({ day: v.pipe(v.string(), v.transform(toDate)), seats: v.optional(v.number(), 4) }),
)
const ArkBooking = type({ day: type('string').pipe(toDate), seats: 'number = 4' })

interface Booking {
  day: Date
  seats: number
}

expectSame<Infer<typeof ZodBooking>, { day: Date; seats: number }>()
expectSame<Infer<typeof ValibotBooking>, { day: Date; seats: number }>()
expectSame<Infer<typeof ArkBooking>, { day: Date; seats: number }>()

/** A method takes the output side of `input`. */
export class Arguments {
  @McpTool({ input: ZodBooking })
  zod({ day, seats }: z.output<typeof ZodBooking>): number {
    return day.getTime() + seats
  }

  @McpTool({ input: ValibotBooking })
  valibot({ day, seats }: Booking, _context: McpContext): number {
    return day.getTime() + seats
  }

  @McpTool({ input: ArkBooking })
  ark({ day, seats }: typeof ArkBooking.infer): number {
    return day.getTime() + seats
  }

  // @ts-expect-error -- the input side of the schema: the method gets a date
  @McpTool({ input: ZodBooking })
  zodInput(_args: z.input<typeof ZodBooking>): void {}

  // @ts-expect-error -- the method gets a date
  @McpTool({ input: ValibotBooking })
  valibotInput(_args: { day: string }): void {}

  // @ts-expect-error -- the method gets a date
  @McpTool({ input: ArkBooking })
  arkInput(_args: { day: string }): void {}

  // @ts-expect-error -- an argument that the schema does not have
  @McpTool({ input: ZodBooking })
  unknown(_args: { day: Date; room: string }): void {}

  @McpPrompt({ input: ZodBooking })
  prompt({ day }: Booking): string {
    return day.toISOString()
  }

  // @ts-expect-error -- the method gets a date
  @McpPrompt({ input: ZodBooking })
  wrongPrompt(_args: { day: string }): string {
    return ''
  }

  @McpResource('days://{day}', { input: z.object({ day: z.iso.date().transform(toDate) }) })
  resource({ day }: { day: Date }): string {
    return day.toISOString()
  }

  // @ts-expect-error -- the method gets a date
  @McpResource('days://{day}', { input: z.object({ day: z.iso.date().transform(toDate) }) })
  wrongResource(_variables: { day: string }): string {
    return ''
  }
}

const ZodResult = z.object({ day: z.date().transform(String).pipe(z.string()), note: z.string().default('') })

/** A method returns the input side of `output`. */
export class Results {
  @McpTool({ output: ZodResult })
  zod(): z.input<typeof ZodResult> {
    return { day: new Date() }
  }

  @McpTool({ output: ZodResult })
  async later(): Promise<{ day: Date; note: string }> {
    return { day: new Date(), note: '' }
  }

  @McpTool({ output: ZodResult })
  whole() {
    return result({ structuredContent: { day: new Date() } })
  }

  // @ts-expect-error -- the output side of the schema: the method has to return a date
  @McpTool({ output: ZodResult })
  zodOutput(): z.output<typeof ZodResult> {
    return { day: '', note: '' }
  }

  // @ts-expect-error -- a missing member
  @McpTool({ output: ZodResult })
  missing(): { note: string } {
    return { note: '' }
  }

  // @ts-expect-error -- a schema of Valibot has the same strictness
  @McpTool({ output: ValibotBooking })
  valibot(): { day: Date } {
    return { day: new Date() }
  }
}

/** Codecs of TypeBox: methods take and return the decoded side. */
const Day = Type.Codec(Type.String({ format: 'date' }))
  .Decode(toDate)
  .Encode((day) => day.toISOString().slice(0, 10))
const CodecBooking = Type.Object({ day: Day })
class CodecModel extends Model(CodecBooking) {}

expectSame<Static<typeof CodecBooking>, { day: string }>()
expectSame<StaticDecode<typeof CodecBooking>, { day: Date }>()
expectSame<Infer<typeof CodecBooking>, { day: Date }>()

export class Codecs {
  @McpTool({ input: CodecBooking, output: CodecBooking })
  both({ day }: { day: Date }): { day: Date } {
    return { day }
  }

  @McpTool()
  model({ day }: CodecModel): number {
    return day.getTime()
  }

  // @ts-expect-error -- the encoded side
  @McpTool({ input: CodecBooking })
  encoded(_args: { day: string }): void {}

  // @ts-expect-error -- the encoded side
  @McpTool({ output: CodecBooking })
  encodedResult(): { day: string } {
    return { day: '' }
  }
}

export async function added(catalog: Catalog, context: McpContext): Promise<void> {
  catalog.addTool({
    name: 'book',
    input: ZodBooking,
    output: ZodResult,
    handler: ({ day, seats }) => {
      expectSame<typeof day, Date>()
      expectSame<typeof seats, number>()
      return { day }
    },
  })
  // @ts-expect-error -- the result is a string instead of a date
  catalog.addTool({ name: 'book', input: ZodBooking, output: ZodResult, handler: () => ({ day: '' }) })
  const { content } = await context.elicit({ message: '', schema: ZodBooking })
  if (content !== undefined) expectSame<typeof content, { day: Date; seats: number }>()
  const config = loadConfig(z.object({ PORT: z.coerce.number() }))
  expectSame<typeof config, Readonly<{ PORT: number }>>()
}
