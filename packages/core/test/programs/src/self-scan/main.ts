import { McpTool } from '@toolwright/core'
import { printReport } from '../print-report.js'

export class MainTools {
  @McpTool({ description: 'Main' })
  main(): string {
    return 'main'
  }
}

await printReport(new URL('.', import.meta.url))
