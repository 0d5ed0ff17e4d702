import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'units', version: '1.0.0' })

server.addTool({
  name: 'convert_length',
  description: 'Converts a length to feet',
  parameters: z.object({ metres: z.number().describe('Length in metres') }),
  outputSchema: z.object({ feet: z.number() }),
  execute: async ({ metres }) => {
    if (metres < 0) throw new UserError('A length is not negative.')
    return { feet: metres / 0.3048 }
  },
})

server.addResource({
  uri: 'units://list',
  name: 'units',
  mimeType: 'text/plain',
  load: async () => ({ text: 'metre, foot' }),
})

server.addPrompt({
  name: 'explain_unit',
  description: 'Explains a unit',
  arguments: [{ name: 'unit', required: true }],
  load: async ({ unit }) => `Explain the unit ${unit}.`,
})

await server.start({ transportType: 'stdio' })
