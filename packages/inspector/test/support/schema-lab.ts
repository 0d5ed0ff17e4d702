// A server whose tool accepts any arguments, under any schema, and returns them.
import { createHost, McpContext, McpPrompt, McpTool, type Static, ToolError, Type } from 'toolwright'
import { inspector } from '../../src/index.js'
import type { Started } from './workshop.js'

const Question = Type.Object({
  amount: Type.Number(),
  factor: Type.Number(),
  count: Type.Integer(),
  code: Type.String(),
  day: Type.String({ format: 'date' }),
  mail: Type.String({ format: 'email' }),
  confirmed: Type.Boolean({ default: false }),
  express: Type.Boolean({ default: true }),
})

const Words = Type.Object({ amount: Type.String(), code: Type.String(), letter: Type.String() })

export const bigNumber = '9007199254740993'

/** Replaced by the number when it is sent. */
const marker = 'a big number'

const Big = Type.Object({ id: Type.String() })

export class LabTools {
  @McpTool({ description: 'Returns its arguments', inputSchema: { type: 'object' } })
  echo(args: unknown): string {
    return JSON.stringify(args)
  }

  @McpTool({ description: 'Has a schema that the test replaces', inputSchema: { type: 'object' } })
  broken(args: unknown): string {
    return JSON.stringify(args)
  }

  @McpTool({ description: 'Returns a number that JavaScript cannot hold', output: Big })
  big(): Static<typeof Big> {
    return { id: marker }
  }

  @McpTool({ description: 'Returns such a number in a text' })
  spell(): string {
    return `{"id":${bigNumber},"small":1.5}`
  }

  @McpTool({ description: 'Always fails' })
  fail(): never {
    throw new ToolError('The laboratory is closed.')
  }

  @McpTool({ description: 'Asks for values and returns them' })
  async ask(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({ message: 'Which values?', schema: Question })
    return JSON.stringify(action === 'accept' ? content : action)
  }

  @McpTool({ description: 'Reports progress' })
  steps(context: McpContext): string {
    for (let step = 1; step <= 22; step++) context.progress(step, 22)
    return 'Done.'
  }

  @McpPrompt({ description: 'Repeats its arguments', input: Words })
  repeat(words: Static<typeof Words>): string {
    return JSON.stringify(words)
  }
}

export interface Lab extends Started {
  /** Lists `echo` with another schema, and tells clients. */
  relist(schema: object): void
}

/** Starts the server. The schemas replace what the server lists, also where it would reject them. */
export async function startLab(schemas: Readonly<Record<string, unknown>> = {}): Promise<Lab> {
  const listed = { ...schemas }
  const logger = { fastify: { logger: false } } as const
  const host = await createHost({ name: 'lab', version: '1.0.0', controllers: [LabTools], ...logger })
  host.addHook('onSend', (_request, reply, payload, done) => {
    const text = payload instanceof Uint8Array ? Buffer.from(payload).toString() : String(payload)
    const isList = text.includes('"tools":[')
    if (!isList && !text.includes(marker)) return done(null, payload)
    reply.removeHeader('content-length')
    done(null, isList ? relabel(text, listed) : text.replaceAll(`"${marker}"`, bigNumber))
  })
  await host.register(inspector, { server: host.mcp })
  const address = await host.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: `${address}/inspector`,
    close: () => host.close(),
    relist: (schema) => {
      listed['echo'] = schema
      host.mcp.changes.toolsChanged()
    },
  }
}

function relabel(payload: string, schemas: Readonly<Record<string, unknown>>): string {
  const message = JSON.parse(payload) as {
    result?: { tools?: { name: string; inputSchema: unknown; outputSchema?: unknown }[] }
  }
  for (const tool of message.result?.tools ?? []) {
    if (!Object.hasOwn(schemas, tool.name)) continue
    tool.inputSchema = schemas[tool.name]
    delete tool.outputSchema
  }
  return JSON.stringify(message)
}
