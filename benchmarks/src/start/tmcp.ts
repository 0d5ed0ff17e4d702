import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import * as z from 'zod/v4'

const server = new McpServer(
  { name: 'hello', version: '1.0.0', description: 'Greets' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
)
server.tool(
  {
    name: 'say_hello',
    description: 'Greets a person',
    schema: z.object({ name: z.string().describe('Name of the person') }),
  },
  ({ name }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
)
new StdioTransport(server).listen()
