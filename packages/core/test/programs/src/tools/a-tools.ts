import { McpTool } from '@toolwright/core'
// Loads before this module, and is still reported in its own place.
import './nested/deeper/fourth-tools.js'

export class FirstTools {
  @McpTool({ description: 'First' })
  first(): string {
    return 'first'
  }
}

/** Nobody but this module sees it. */
class HiddenTools {
  @McpTool({ description: 'Hidden' })
  hidden(): string {
    return 'hidden'
  }
}

export const hidden = new HiddenTools()
