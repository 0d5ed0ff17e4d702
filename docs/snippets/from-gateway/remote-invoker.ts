import type { CallToolResult, ListedTool, McpServer } from 'toolwright'
import { toAiSdkTools } from 'toolwright'

// #region invoker
/** Runs tools: in this process, or at `/rpc` of another one. */
export interface Invoker {
  listTools(): Promise<readonly ListedTool[]>
  callTool(name: string, args: object): Promise<CallToolResult>
}

export function connectRemote(url: string): Invoker {
  const request = async (method: string, params: object): Promise<never> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { result, error } = (await response.json()) as {
      readonly result: never
      readonly error?: { message: string }
    }
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  return {
    listTools: async () => (await request('tools/list', {}))['tools'],
    callTool: (name, args) => request('tools/call', { name, arguments: args }),
  }
}

/** Tools for `generateText` of the AI SDK, which calls them by itself. */
export async function toolsFor(invoker: Invoker | McpServer): Promise<object> {
  return toAiSdkTools(await invoker.listTools(), {
    execute: (name, args) => invoker.callTool(name, args),
  })
}
// #endregion
