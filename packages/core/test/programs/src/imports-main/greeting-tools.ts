import { McpTool } from '@toolwright/core'
import { greeting } from './main.js'

export class GreetingTools {
  @McpTool()
  greet(): string {
    return greeting
  }
}
