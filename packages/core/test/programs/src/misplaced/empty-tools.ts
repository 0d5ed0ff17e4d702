import { McpController } from '@toolwright/core'

@McpController()
export class EmptyTools {
  forgotten(): string {
    return ''
  }
}
