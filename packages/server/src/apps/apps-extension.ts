import { appMimeType, type Extension, type McpContext } from '@toolwright/core'
import { declaredSettings } from '@toolwright/core/extension'

/**
 * MCP Apps: HTML pages that show results of tools. The extension is declared as soon as any resource or template has the media
 * type of apps.
 */
export const appsExtension: Extension = {
  id: 'io.modelcontextprotocol/ui',
  era: 'modern',
  usedBy: { resources: isPage, resourceTemplates: isPage },
}

function isPage({ mimeType }: { readonly mimeType: string | undefined }): boolean {
  return mimeType === appMimeType
}

/**
 * Whether the client supports MCP Apps, as declared in its handshake (2025-11-25 and older) or with each request. A tool with an
 * app must nevertheless return text, for the model.
 */
export function canShowApps({ clientCapabilities }: Pick<McpContext, 'clientCapabilities'>): boolean {
  const types = declaredSettings(clientCapabilities, appsExtension.id)?.['mimeTypes']
  return Array.isArray(types) && types.includes(appMimeType)
}
