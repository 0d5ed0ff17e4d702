import { McpTool } from '@toolwright/core'

export class SecondTools {
  @McpTool()
  second(): string {
    return 'second'
  }
}

export class ThirdTools {
  @McpTool()
  third(): string {
    return 'third'
  }
}
