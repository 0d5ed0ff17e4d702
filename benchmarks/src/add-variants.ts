import { McpTool } from 'toolwright'
import { AddTools, AsyncAddTools } from './benchmark-tools.js'

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

/**
 * The tool that is called, with schemas of each library, or with a promise. Libraries are loaded only for their own rows, because
 * they enlarge the heap.
 */
export const addVariants = {
  typebox: async () => AddTools,
  async: async () => AsyncAddTools,
  'json-schema': async () => JsonSchemaAddTools,
  zod: async () => (await import('./library-tools.js')).ZodAddTools,
  valibot: async () => (await import('./library-tools.js')).ValibotAddTools,
} as const

export type AddVariant = keyof typeof addVariants
