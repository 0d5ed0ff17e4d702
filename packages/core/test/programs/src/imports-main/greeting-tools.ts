import { McpTool } from '@toolwright/core'
import { greeting } from './main.js'

export class GreetingTools {
  @McpTool({ description: 'Greet' })
  greet(): string {
    return greeting
  }
}
