import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './markdown.js'

const features = 54

test('the page "From MCP Gateway" has each feature, and the clause of the specification for each difference', () => {
  const page = readFileSync(join(root, 'docs', 'how-to', 'come-from-mcp-gateway.md'), 'utf8')
  const rows = [...page.matchAll(/^\| F(\d+) \| .+ \| (.+) \|$/gm)].map(([, number, text = '']) => ({
    number: Number(number),
    text,
  }))
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: features }, (_, index) => index + 1))
  const differences = rows.filter(({ text }) => text.includes('Differs'))
  const withoutClause = differences.filter(({ text }) => !/\([A-Z][\w ().,-]+\)/.test(text))
  expect(withoutClause).toEqual([])
})
