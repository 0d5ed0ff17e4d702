import { readFile } from 'node:fs/promises'
import { McpResource } from 'toolwright'

const file = new URL('../../pages/spending.html', import.meta.url)

export class SpendingPage {
  @McpResource('ui://spending/chart', {
    title: 'Spending',
    description: 'Chart of the spending of a month',
    ui: { prefersBorder: true },
  })
  chart(): Promise<string> {
    return readFile(file, 'utf8')
  }
}
