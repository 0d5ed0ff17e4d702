import { McpTool } from '@toolwright/core'

// Somebody forgot to export it.
class HiddenTools {
  @McpTool({ description: 'Hide' })
  hide(): string {
    return ''
  }
}

export const count = [HiddenTools].length
