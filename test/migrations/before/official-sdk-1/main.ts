import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'units', version: '1.0.0' })

server.registerTool(
  'convert_length',
  {
    description: 'Converts a length to feet',
    inputSchema: { metres: z.number().describe('Length in metres') },
    outputSchema: { feet: z.number() },
  },
  ({ metres }) => {
    if (metres < 0) throw new Error('A length is not negative.')
    const structuredContent = { feet: metres / 0.3048 }
    return {
      structuredContent,
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    }
  },
)

server.registerResource(
  'units',
  'units://list',
  { mimeType: 'text/plain' },
  (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'metre, foot' }],
  }),
)

server.registerPrompt(
  'explain_unit',
  { description: 'Explains a unit', argsSchema: { unit: z.string() } },
  ({ unit }) => ({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `Explain the unit ${unit}.` },
      },
    ],
  }),
)

await server.connect(new StdioServerTransport())
