import type { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { FastifyInstance } from 'fastify'
import { type CallHook, failureKindOf, ToolError } from 'toolwright'

// #region two-endpoints
/**
 * Serves the old server at `/old/mcp`. Each request gets its own server,
 * because the transport has no sessions here.
 */
export function serveOld(
  app: FastifyInstance,
  createOld: () => OldServer,
): void {
  app.post('/old/mcp', async (request, reply) => {
    reply.hijack()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
    })
    reply.raw.on('close', () => void transport.close())
    await createOld().connect(transport)
    await transport.handleRequest(request.raw, reply.raw, request.body)
  })
}
// #endregion

// #region tell-models
/**
 * Sends the text of each error of a handler to the model, as the official SDK
 * does.
 */
export const tellModels: CallHook = {
  async around({ kind }, next) {
    try {
      return await next()
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const isUnexpected =
        kind === 'tool' && failureKindOf(error) === 'unexpected'
      throw isUnexpected ? new ToolError(error.message) : error
    }
  },
}
// #endregion
