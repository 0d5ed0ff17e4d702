import { type InferSchema, type PromptMetadata } from 'xmcp'
import { z } from 'zod'

export const schema = { unit: z.string() }

export const metadata: PromptMetadata = {
  name: 'explain_unit',
  description: 'Explains a unit',
  role: 'user',
}

export default function explainUnit({ unit }: InferSchema<typeof schema>) {
  return `Explain the unit ${unit}.`
}
