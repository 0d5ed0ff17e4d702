import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allBlocks, expectText, markdownFiles, readPage, root } from './markdown.js'

// Run with DOCS=write to copy changed snippets into the pages.

const blocks = allBlocks()
const snippets = blocks.filter(({ mark }) => mark?.kind === 'snippet')
const code = new Set(['ts', 'typescript', 'js', 'javascript', 'mjs'])

/**
 * Folders whose TypeScript `tsc -b` compiles, and the folder of the tutorial's project, which the tests of its outputs
 * compile.
 */
const compiled = /^(docs\/snippets|samples\/[\w-]+\/src|test|packages\/create-toolwright\/templates)\//

/** Languages of text that programs print, and of diagrams. */
const printed = new Set(['text', 'mermaid'])

/** Whether the site shows the line without a scroll bar. Imports cannot be broken: their modules have long names. */
const fits = (line: string): boolean =>
  line.length <= 80 || /^import .* from '@modelcontextprotocol\/[^']+'$/.test(line)

test('every block of code names its file', () => {
  const loose = blocks.filter(({ language, mark }) => code.has(language) && mark?.kind !== 'snippet')
  expect(
    loose.map(({ file, line }) => `${file}:${line}: put <!-- snippet: docs/snippets/NAME.ts#REGION --> before it`),
  ).toEqual([])
})

test('every comment that names a source has a block of code below it', () => {
  const alone = markdownFiles().flatMap((file) =>
    [...readPage(file).matchAll(/^(<!-- (?:snippet|input|output): .*-->)\n(?!```)/gm)].map(
      ([, mark]) => `${file}: put the block below ${mark}`,
    ),
  )
  expect(alone).toEqual([])
})

test('every snippet is from a file that is compiled or run', () => {
  const foreign = snippets.filter(({ mark }) => !compiled.test(mark?.name ?? ''))
  expect(foreign.map(({ file, line, mark }) => `${file}:${line}: ${mark?.name} is not compiled by tsc -b`)).toEqual([])
})

test('code on pages has at most 80 columns, so that the site shows all of it', () => {
  const long = blocks
    .filter(({ language, mark }) => !printed.has(language) && mark?.kind !== 'output')
    // A response of a server is one line.
    .filter(({ language, height }) => language !== 'json' || height > 1)
    .flatMap(({ file, line, text }) =>
      text.split('\n').flatMap((row, index) => (fits(row) ? [] : [`${file}:${line + 1 + index}: ${row}`])),
    )
  expect(long).toEqual([])
})

test.each(snippets.map((block) => [`${block.file}:${block.line} ${block.mark?.name}`, block] as const))(
  '%s',
  (_where, block) => {
    expectText(block, readSnippet(block.mark?.name ?? ''))
  },
)

/** `FILE#REGION`, or `FILE` for the whole file. */
function readSnippet(name: string): string {
  const [file = '', region] = name.split('#')
  const lines = readFileSync(join(root, file), 'utf8').trimEnd().split('\n')
  if (region === undefined) return lines.join('\n')
  const first = lines.findIndex((line) => line.trim() === `// #region ${region}`) + 1
  if (first === 0) throw new Error(`${file} has no "// #region ${region}"`)
  const length = lines.slice(first).findIndex((line) => line.trim() === '// #endregion')
  if (length === -1) throw new Error(`${file}: the region ${region} does not end`)
  return dedent(lines.slice(first, first + length))
    .join('\n')
    .trimEnd()
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line !== '').map((line) => line.search(/\S/))
  const indent = Math.min(...indents)
  return lines.map((line) => line.slice(indent))
}
