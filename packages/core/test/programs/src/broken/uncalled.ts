import { McpTool } from '@toolwright/core'

export class UncalledTools {
  // @ts-expect-error -- the compiler reports it, too
  @McpTool
  exported(): string {
    return ''
  }
}

// Not exported; its mistakes are reported nevertheless.
class HiddenTools {
  // @ts-expect-error -- the compiler reports it, too
  @McpTool
  hidden(): string {
    return ''
  }
}

new HiddenTools().hidden()
