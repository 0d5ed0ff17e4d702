import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import {
  type CallHook,
  type Infer,
  loadConfig,
  type McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  type StaticDecode,
  Type,
} from 'toolwright'
import * as v from 'valibot'
import { z } from 'zod'

const rooms = new Map([['Ada', 12]])

// #region zod
const BookInput = z.object({
  room: z
    .string()
    .trim()
    .refine((room) => rooms.has(room), 'is no room'),
  day: z.iso.date().transform((day) => new Date(day)),
  seats: z.coerce.number().int().default(4),
})

export class ZodTools {
  @McpTool({ description: 'Books a room', input: BookInput })
  book({ room, day, seats }: z.output<typeof BookInput>): string {
    return `${room}, ${day.toDateString()}, ${seats} seats`
  }
}
// #endregion

// #region valibot
const ValibotInput = toStandardJsonSchema(
  v.object({
    day: v.pipe(
      v.string(),
      v.isoDate(),
      v.transform((day) => new Date(day)),
    ),
    seats: v.optional(v.number(), 4),
  }),
)

export class ValibotTools {
  @McpTool({ description: 'Books a room', input: ValibotInput })
  book({ day, seats }: Infer<typeof ValibotInput>): string {
    return `${day.toDateString()}, ${seats} seats`
  }
}
// #endregion

// #region arktype
const ArkInput = type({
  day: type('string.date.iso').pipe((day) => new Date(day)),
  seats: 'number = 4',
})

export class ArkTools {
  @McpTool({ description: 'Books a room', input: ArkInput })
  book({ day, seats }: typeof ArkInput.infer): string {
    return `${day.toDateString()}, ${seats} seats`
  }
}
// #endregion

// #region output
const BookingOutput = z.object({
  id: z.string(),
  day: z
    .date()
    .transform((day) => day.toISOString().slice(0, 10))
    .pipe(z.iso.date()),
  note: z.string().default(''),
})

export class BookingTools {
  @McpTool({ description: 'Finds a booking', output: BookingOutput })
  find(): z.input<typeof BookingOutput> {
    const booking = { id: '7', day: new Date(0), customer: 'secret' }
    return booking
  }
}
// #endregion

// #region async
const FreeRoom = z.object({
  room: z.string().refine(isFree, 'is taken'),
})

async function isFree(room: string): Promise<boolean> {
  try {
    return (await fetch(`https://rooms.example/${room}`)).ok
  } catch {
    return false
  }
}
// #endregion

export class RoomTools {
  @McpTool({ description: 'Books a room that is free', input: FreeRoom })
  bookFree({ room }: { room: string }): string {
    return room
  }
}

// #region strict
const Strict = z.strictObject({ room: z.string() })
const Open = z.looseObject({ room: z.string() })
const AnyValue = z.object({ data: z.unknown().describe('Any JSON value') })
// #endregion

export const objects = [Strict, Open, AnyValue]

// #region texts
const PlanInput = z.object({
  day: z.iso.date().transform((day) => new Date(day)),
  seats: z.number().default(4),
})

export class Plans {
  @McpPrompt({ description: 'Plans a meeting', input: PlanInput })
  plan({ day, seats }: z.output<typeof PlanInput>): string {
    return `Plan a meeting of ${seats} people on ${day.toDateString()}.`
  }

  @McpResource('plans://{day}', { input: PlanInput.pick({ day: true }) })
  planOf({ day }: { day: Date }): object {
    return { year: day.getUTCFullYear() }
  }
}
// #endregion

// #region form
const Guest = z.object({
  email: z.email(),
  breakfast: z.boolean().default(false),
})

export async function askGuest(context: McpContext): Promise<string> {
  const { content } = await context.elicit({ message: 'Guest?', schema: Guest })
  return content === undefined ? 'nobody' : content.email
}
// #endregion

export function readSettings(environment: Record<string, string>): object {
  // #region config
  const config = loadConfig(
    z.object({
      API_KEY: z.string().min(16).describe('key of the booking service'),
      PORT: z.number().default(3000),
    }),
    environment,
  )
  // #endregion
  return config
}

// #region hook
export const usualRoom: CallHook = {
  around: (call, next) => {
    const { room, day } = call.arguments as z.output<typeof BookInput>
    if (room !== 'usual') return next()
    return next({ room: 'Ada', day: day.toISOString().slice(0, 10) })
  },
}
// #endregion

// #region codec
const Day = Type.Codec(Type.String({ format: 'date' }))
  .Decode((text) => new Date(text))
  .Encode((day) => day.toISOString().slice(0, 10))
const Holiday = Type.Object({ day: Day })

export class HolidayTools {
  @McpTool({ description: 'Moves a day off', input: Holiday, output: Holiday })
  move({ day }: StaticDecode<typeof Holiday>): StaticDecode<typeof Holiday> {
    return { day: new Date(day.getTime() + 86_400_000) }
  }
}
// #endregion
