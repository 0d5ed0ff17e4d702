import { appMimeType } from '../content.js'
import { isJsonObject } from '../rpc/messages.js'
import type { McpContext } from './mcp-context.js'

export const appsExtension = 'io.modelcontextprotocol/ui'

/**
 * Whether the client supports MCP Apps, as declared in its handshake (2025-11-25 and older) or with each request. A
 * tool with an app still has to return text, for the model.
 */
export function canShowApps({ clientCapabilities }: Pick<McpContext, 'clientCapabilities'>): boolean {
  const { extensions } = clientCapabilities
  const settings = isJsonObject(extensions) ? extensions[appsExtension] : undefined
  const types = isJsonObject(settings) ? settings['mimeTypes'] : undefined
  return Array.isArray(types) && types.includes(appMimeType)
}
