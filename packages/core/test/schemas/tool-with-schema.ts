import { type JsonObject, McpTool, type ToolOptions, Type } from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { type ConnectOptions, connect, type TestConnection } from '@toolwright/testing'

export interface SchemaTool extends AsyncDisposable {
  readonly connection: TestConnection
  /** Arguments that the handler received, one entry for each call. */
  readonly received: unknown[]
  call(args?: JsonObject): Promise<{ readonly isError?: boolean; readonly text: string; readonly structured: unknown }>
  /** The tool as clients see it. */
  list(): Promise<{ readonly inputSchema: JsonObject; readonly outputSchema?: JsonObject | undefined }>
}

type AnyToolOptions = Omit<ToolOptions, 'input' | 'output'> & { readonly input?: unknown; readonly output?: unknown }

/** Serves one tool, `run`. The tool returns its first result, or 'done'. */
export async function serveTool(
  options: AnyToolOptions,
  {
    handler = () => 'done',
    server = {},
    ...client
  }: ConnectOptions & { handler?: (args: never) => unknown; server?: Partial<ServerOptions> } = {},
): Promise<SchemaTool> {
  const received: unknown[] = []
  class Tools {
    @McpTool('run', { input: Type.Object({}), ...options } as ToolOptions<undefined, undefined>)
    run(args: unknown): unknown {
      received.push(args)
      return handler(args as never)
    }
  }
  const connection = await connect({ name: 'test', version: '1', ...server, controllers: [Tools] }, client)
  return {
    connection,
    received,
    call: async (args) => {
      const { content, isError, structuredContent } = await connection.client.callTool({
        name: 'run',
        arguments: args ?? {},
      })
      const [first] = content as readonly { readonly text?: string }[]
      return { ...(isError === true ? { isError } : {}), text: first?.text ?? '', structured: structuredContent }
    },
    list: async () => {
      const { tools } = await connection.client.listTools()
      return tools[0] as never
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}
