import { createMcpFastifyApp } from '@modelcontextprotocol/fastify'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { serveAsTold } from '../served.js'

// The Fastify recipe of the official SDK's documentation (serving/fastify): a factory creates a server for each request. The
// schemas are created once, outside of the factory, which is faster than the recipe itself.

const numbers = z.object({ a: z.number().describe('First number'), b: z.number().describe('Second number') })
const total = z.object({ sum: z.number().describe('The sum') })

const amount = z.object({
  amount: z.number().describe('How much'),
  unit: z.string().optional().describe('Unit of the amount'),
})
const converted = z.object({ amount: z.number(), unit: z.string() })

function createServer(tools: number): McpServer {
  const server = new McpServer({ name: 'benchmark', version: '1.0.0' })
  server.registerTool(
    'add_numbers',
    { description: 'Adds two numbers', inputSchema: numbers, outputSchema: total },
    ({ a, b }) => withText({ sum: a + b }),
  )
  for (let index = 1; index < tools; index++) {
    server.registerTool(
      `convert_${index}`,
      { description: `Converts to unit ${index}`, inputSchema: amount, outputSchema: converted },
      ({ amount: value, unit = 'm' }) => withText({ amount: value * index, unit }),
    )
  }
  return server
}

function withText<Value extends object>(structuredContent: Value) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent }
}

serveAsTold(({ tools }: { tools: number }) => {
  const handle = toNodeHandler(createMcpHandler(() => createServer(tools)))
  const app = createMcpFastifyApp()
  app.all('/mcp', (request, reply) => handle(request.raw, reply.raw, request.body))
  return app
})
