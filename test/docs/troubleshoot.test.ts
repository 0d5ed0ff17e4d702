import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesInstalledWith } from '../../scripts/installed-packages.mjs'
import { readPage, root } from './markdown.js'

// Searches the code for quotes of the page, where a message may be split into lines and contain values.

const tables = ['## The server does not start', '## A request is rejected', '## A call fails']

/** Quotes of Fastify, the official client and V8, and messages that are assembled: other tests cover them. */
const elsewhere = new Set([
  'Route POST:/mcp/ not found',
  'Service Unavailable',
  'Unknown tool: …',
  'Do not know how to serialize a BigInt',
  'Protected resource … does not match expected …',
  'Server returned 401 after re-authentication',
])

const code = [...packagesInstalledWith('toolwright'), 'redis']
  .flatMap((name) => sourcesOf(join(root, 'packages', name, 'src')))
  .map((text) => text.replace(/['`"] \+\s+['`"]/g, '').replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '…'))
  .join('\n')

test.each(tables.flatMap(quotesBelow))('the code contains: %s', (quote) => {
  const parts = quote.split('…').map((part) => part.trim())
  expect(parts.filter((part) => part !== '' && !code.includes(part))).toEqual([])
})

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** Quotes in the first column of the table below a heading. */
function quotesBelow(heading: string): string[] {
  const lines = readPage('docs/how-to/troubleshoot.md').split('\n')
  const first = lines.indexOf(heading) + 4
  const end = lines.findIndex((line, index) => index >= first && line === '')
  const cells = lines.slice(first, end).map((row) => row.split(' | ')[0] ?? '')
  const quotes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote))
  return quotes.filter((quote) => !elsewhere.has(quote))
}
