import { type InferSchema, type ToolMetadata } from 'xmcp'
import { z } from 'zod'

export const schema = { metres: z.number().describe('Length in metres') }

export const outputSchema = { feet: z.number() }

export const metadata: ToolMetadata = {
  name: 'convert_length',
  description: 'Converts a length to feet',
}

export default function convertLength({ metres }: InferSchema<typeof schema>) {
  if (metres < 0) throw new Error('A length is not negative.')
  const structuredContent = { feet: metres / 0.3048 }
  return {
    structuredContent,
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  }
}
