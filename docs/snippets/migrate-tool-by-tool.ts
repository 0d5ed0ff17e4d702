// #region bridge
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import {
  type CallResultInit,
  type Catalog,
  type McpContext,
  result,
  ToolError,
} from 'toolwright'

/**
 * Adds the tools of the old server, except those that the catalog has already.
 * @returns A function that closes the bridge.
 */
export async function bridge(
  old: OldServer,
  catalog: Catalog,
): Promise<() => Promise<void>> {
  const client = new Client({ name: 'bridge', version: '1.0.0' })
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair()
  await old.connect(serverEnd)
  await client.connect(clientEnd)
  const moved = new Set(catalog.tools.all.map(({ name }) => name))
  let cursor: string | undefined
  do {
    const page = await client.listTools({ cursor })
    for (const tool of page.tools)
      if (!moved.has(tool.name)) addTool(tool, client, catalog)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return () => client.close()
}

function addTool(tool: Tool, client: Client, catalog: Catalog): void {
  catalog.addTool({
    ...tool,
    handler: async (args: Record<string, unknown>, context: McpContext) => {
      try {
        const answer = await client.callTool(
          { name: tool.name, arguments: args },
          undefined,
          {
            signal: context.signal,
            // The time limit of this server applies.
            timeout: 2 ** 31 - 1,
            onprogress: ({ progress, total, message }) =>
              context.progress(progress, total, message),
          },
        )
        return result(answer as CallResultInit)
      } catch (error) {
        // Models read the text of the error, as before.
        throw new ToolError(
          error instanceof Error ? error.message : String(error),
        )
      }
    },
  })
}
// #endregion
