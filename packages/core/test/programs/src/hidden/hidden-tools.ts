import { McpTool } from '@toolwright/core'

// Somebody forgot to export it.
class ForgottenTools {
  @McpTool({ description: 'Forget' })
  forget(): string {
    return ''
  }
}

export const count = [ForgottenTools].length
