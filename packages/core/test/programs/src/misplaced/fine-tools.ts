import { McpTool } from '@toolwright/core'

abstract class BaseTools {
  @McpTool({ description: 'Inherited' })
  inherited(): string {
    return ''
  }
}

export class FineTools extends BaseTools {}
