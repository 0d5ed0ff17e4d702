import type { Tool } from '@modelcontextprotocol/client'

/** Characters of JSON that make up a token, on average. Models differ: this is an estimate. */
const charactersPerToken = 4

/** Estimates the tokens that a tool costs a model: its name, description and input schema, with each request. */
export function estimateTokens({ name, description = '', inputSchema }: Tool): number {
  return Math.ceil(JSON.stringify({ name, description, input_schema: inputSchema }).length / charactersPerToken)
}
