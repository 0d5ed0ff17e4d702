import { McpTool } from '@toolwright/core'

export class SecondTools {
  @McpTool({ description: 'Second' })
  second(): string {
    return 'second'
  }
}

export class ThirdTools {
  @McpTool({ description: 'Third' })
  third(): string {
    return 'third'
  }
}
