import { McpTool } from '@toolwright/core'
// Loads before this module, and is still reported in its own place.
import './nested/deeper/fourth-tools.js'

export class FirstTools {
  @McpTool({ description: 'First' })
  first(): string {
    return 'first'
  }
}

/** Not exported: only this module uses it. */
class HiddenTools {
  @McpTool({ description: 'Hidden' })
  hidden(): string {
    return 'hidden'
  }
}

export const hidden = new HiddenTools()
