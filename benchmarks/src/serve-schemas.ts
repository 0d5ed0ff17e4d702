import { type JsonObject, serve } from 'toolwright'

/** Serves one tool for each schema, and a tool that the benchmark calls. */
export async function serveSchemas(schemas: readonly JsonObject[]): Promise<void> {
  await serve({
    name: 'hello',
    version: '1.0.0',
    controllers: [],
    onReady: ({ catalog }) => {
      for (const [index, inputSchema] of schemas.entries()) {
        catalog.addTool({ name: `tool_${index}`, description: 'Does nothing', inputSchema, handler: () => 'done' })
      }
      const inputSchema = { type: 'object', properties: { name: { type: 'string' } } }
      const handler = ({ name }: JsonObject): string => `Hello, ${String(name)}!`
      catalog.addTool({ name: 'say_hello', description: 'Greets a person', inputSchema, handler })
    },
  })
}
