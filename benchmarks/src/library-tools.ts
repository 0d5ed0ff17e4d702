import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type Infer, McpTool } from 'toolwright'
import * as v from 'valibot'
import { z } from 'zod'

const ZodInput = z.object({ a: z.number().describe('First number'), b: z.number().describe('Second number') })
const ZodOutput = z.object({ sum: z.number().describe('The sum') })

/** The same tool with schemas of Zod. */
export class ZodAddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', input: ZodInput, output: ZodOutput })
  add({ a, b }: z.output<typeof ZodInput>): z.input<typeof ZodOutput> {
    return { sum: a + b }
  }
}

const ValibotInput = toStandardJsonSchema(v.object({ a: v.number(), b: v.number() }))
const ValibotOutput = toStandardJsonSchema(v.object({ sum: v.number() }))

/** The same tool with schemas of Valibot. */
export class ValibotAddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', input: ValibotInput, output: ValibotOutput })
  add({ a, b }: Infer<typeof ValibotInput>): Infer<typeof ValibotOutput> {
    return { sum: a + b }
  }
}
