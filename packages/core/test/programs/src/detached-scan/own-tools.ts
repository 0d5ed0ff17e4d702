import { McpTool } from '@toolwright/core'

export class OwnTools {
  @McpTool()
  own(): string {
    return 'own'
  }
}
