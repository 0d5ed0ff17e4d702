import { McpTool } from '@toolwright/core'
import { Ledger } from './circle-b.js'

export class CircleTools {
  @McpTool()
  add(_ledger: Ledger): string {
    return ''
  }
}
