import { McpTool } from '@toolwright/core'

export default class FourthTools {
  @McpTool()
  fourth(): string {
    return 'fourth'
  }
}
