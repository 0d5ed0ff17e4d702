import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

// Called once for each connection. Over HTTP, it would be called for each
// request.
function createServer() {
  const server = new McpServer({ name: 'units', version: '1.0.0' })

  server.registerTool(
    'convert_length',
    {
      description: 'Converts a length to feet',
      inputSchema: z.object({
        metres: z.number().describe('Length in metres'),
      }),
      outputSchema: z.object({ feet: z.number() }),
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
      contents: [
        { uri: uri.href, mimeType: 'text/plain', text: 'metre, foot' },
      ],
    }),
  )

  server.registerPrompt(
    'explain_unit',
    {
      description: 'Explains a unit',
      argsSchema: z.object({ unit: z.string() }),
    },
    ({ unit }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Explain the unit ${unit}.` },
        },
      ],
    }),
  )

  return server
}

serveStdio(createServer)
