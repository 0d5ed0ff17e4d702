import { McpTool } from '@toolwright/core'

// Not exported, by mistake.
class ForgottenTools {
  @McpTool({ description: 'Forget' })
  forget(): string {
    return ''
  }
}

export const count = [ForgottenTools].length
