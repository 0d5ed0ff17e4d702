// oxlint-disable import/no-cycle -- the circle is what the test is about
import { McpTool } from '@toolwright/core'
import { Ledger } from './circle-b.js'

export class CircleTools {
  @McpTool({ description: 'Add' })
  add(_ledger: Ledger): string {
    return ''
  }
}
