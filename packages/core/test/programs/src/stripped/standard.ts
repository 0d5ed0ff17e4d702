import { McpTool } from '@toolwright/core'

export class SumTools {
  @McpTool()
  add(): string {
    return ''
  }
}
