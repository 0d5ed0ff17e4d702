import { McpTool } from '@toolwright/core'

abstract class BaseTools {
  @McpTool()
  inherited(): string {
    return ''
  }
}

export class FineTools extends BaseTools {}
