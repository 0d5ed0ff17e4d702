import { McpTool } from '@toolwright/core'

export class MoreTools {
  @McpTool()
  more(): string {
    return 'more'
  }
}
