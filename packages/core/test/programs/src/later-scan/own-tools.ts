import { McpTool } from '@toolwright/core'

export class OwnTools {
  @McpTool({ description: 'Own' })
  own(): string {
    return 'own'
  }
}
