import { readFile } from 'node:fs/promises'
import { McpResource } from 'toolwright'

const file = new URL('../../pages/spending.html', import.meta.url)

export class SpendingPage {
  @McpResource('ui://spending/chart', {
    title: 'Spending',
    description: 'Draws what was spent in a month',
    ui: { prefersBorder: true },
  })
  chart(): Promise<string> {
    return readFile(file, 'utf8')
  }
}
