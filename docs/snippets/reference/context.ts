import { McpContext, McpTool } from 'toolwright'

// #region tool
export class ContextTools {
  @McpTool({ description: 'Says who is asking' })
  whoAsks(context: McpContext): string {
    context.log.info('asked')
    return `${context.clientInfo?.name ?? 'somebody'}, in ${context.protocolVersion}`
  }
}
// #endregion
