import { McpContext, McpTool } from 'toolwright'

// #region tool
export class ContextTools {
  @McpTool({ description: 'Returns the name of the client' })
  whoAsks(context: McpContext): string {
    context.log.info('asked')
    return `${context.clientInfo?.name ?? 'somebody'}, in ${context.protocolVersion}`
  }
}
// #endregion
