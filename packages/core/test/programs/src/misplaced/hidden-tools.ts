import { McpTool } from '@toolwright/core'

// Not exported, by mistake.
class HiddenTools {
  @McpTool({ description: 'Hide' })
  hide(): string {
    return ''
  }
}

export const count = [HiddenTools].length
