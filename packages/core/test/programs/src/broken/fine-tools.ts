import { McpTool } from '@toolwright/core'

export class FineTools {
  @McpTool('not a name')
  fine(): string {
    return ''
  }
}
