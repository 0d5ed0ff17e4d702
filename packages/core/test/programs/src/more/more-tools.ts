import { McpTool } from '@toolwright/core'

export class MoreTools {
  @McpTool({ description: 'More' })
  more(): string {
    return 'more'
  }
}
