import * as package_ from '@toolwright/inspector'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { McpServer } from 'toolwright'

const { inspector } = package_ as {
  readonly inspector?: FastifyPluginAsync<{ server: McpServer; path: string; endpoint: string }>
}

export const inspectorPath = inspector === undefined ? null : '/inspector'

/** Mounts the inspector in an application. @param path `null`: without it. @param endpoint Path of the MCP endpoint. */
export async function mountInspector(app: FastifyInstance, path: string | null, endpoint: string): Promise<void> {
  if (path !== null && inspector !== undefined) await app.register(inspector, { server: app.mcp, path, endpoint })
}
