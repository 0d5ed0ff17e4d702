import { createMcpFastifyApp } from '@modelcontextprotocol/fastify'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

const input = z.object({ name: z.string().describe('Name of the person') })
const handle = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer({ name: 'hello', version: '1.0.0' })
    server.registerTool('say_hello', { description: 'Greets a person', inputSchema: input }, ({ name }) => ({
      content: [{ type: 'text', text: `Hello, ${name}!` }],
    }))
    return server
  }),
)
const app = createMcpFastifyApp()
app.all('/mcp', (request, reply) => handle(request.raw, reply.raw, request.body))
process.stdout.write(`serving at ${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp\n`)
process.once('SIGTERM', () => process.exit())
