import { McpTool } from '@toolwright/core'

export default class FourthTools {
  @McpTool({ description: 'Fourth' })
  fourth(): string {
    return 'fourth'
  }
}
