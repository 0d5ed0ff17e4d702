import { McpTool, type Static } from 'toolwright'
import { AddInput, AddOutput, AddTools, AsyncAddTools } from './benchmark-tools.js'

const jsonInput = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}
const jsonOutput = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }

class JsonSchemaAddTools {
  @McpTool('add_numbers', { description: 'Adds two numbers', inputSchema: jsonInput, outputSchema: jsonOutput })
  add({ a, b }: { a: number; b: number }): { sum: number } {
    return { sum: a + b }
  }
}

/** The same tool, which a function shows to every caller. */
class EnabledAddTools extends AddTools {
  @McpTool('add_numbers', {
    description: 'Adds two numbers',
    input: AddInput,
    output: AddOutput,
    enabled: () => true,
  })
  override add(numbers: Static<typeof AddInput>): Static<typeof AddOutput> {
    return super.add(numbers)
  }
}

/**
 * The tool that is called, with schemas of each library, with a promise, or with a function that decides who sees it. Libraries are loaded only for their own rows, because
 * they enlarge the heap.
 */
export const addVariants = {
  typebox: async () => AddTools,
  async: async () => AsyncAddTools,
  enabled: async () => EnabledAddTools,
  'json-schema': async () => JsonSchemaAddTools,
  zod: async () => (await import('./library-tools.js')).ZodAddTools,
  valibot: async () => (await import('./library-tools.js')).ValibotAddTools,
} as const

export type AddVariant = keyof typeof addVariants
