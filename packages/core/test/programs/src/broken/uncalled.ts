import { McpTool } from '@toolwright/core'

export class UncalledTools {
  // @ts-expect-error -- the compiler finds it too
  @McpTool
  exported(): string {
    return ''
  }
}

// Nobody exports it, and what is wrong with it is said all the same.
class HiddenTools {
  // @ts-expect-error -- the compiler finds it too
  @McpTool
  hidden(): string {
    return ''
  }
}

new HiddenTools().hidden()
