import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readPage, root } from '../docs/markdown.js'

// `npm run compare-migrations` compares these answers with those of the other frameworks.

test('the server on the page about migrations has a tool with an error, a resource and a prompt', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'ours.mjs')])
  const metres = { type: 'number', description: 'Length in metres' }
  expect(JSON.parse(stdout)).toEqual({
    tools: [
      {
        name: 'convert_length',
        description: 'Converts a length to feet',
        input: { properties: { metres }, required: ['metres'] },
        output: { properties: { feet: { type: 'number' } }, required: ['feet'] },
      },
    ],
    resources: [{ uri: 'units://list', mimeType: 'text/plain' }],
    prompts: [{ name: 'explain_unit', description: 'Explains a unit', arguments: [{ name: 'unit', required: true }] }],
    answer: { feet: 10 },
    text: ['{"feet":10}'],
    error: { isError: true, text: ['A length is not negative.'] },
    invalid: { isError: true },
    resource: [{ uri: 'units://list', mimeType: 'text/plain', text: 'metre, foot' }],
    prompt: [{ role: 'user', content: { type: 'text', text: 'Explain the unit foot.' } }],
  })
})

test('a page shows, or links to, each of the compared servers', () => {
  const pages = readdirSync(join(root, 'docs', 'how-to')).filter((name) => name.startsWith('come-from-'))
  const text = pages.map((name) => readPage(`docs/how-to/${name}`)).join('\n')
  const folders = readdirSync(join(__dirname, 'before'))
  expect(folders).toContain('xmcp')
  expect(folders.filter((name) => !text.includes(`test/migrations/before/${name}/`))).toEqual([])
})
