import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(__dirname, '..', '..')

/**
 * A hidden comment before a fenced block, with the source of the block:
 * `<!-- snippet: docs/snippets/hello.ts#tools -->` is a region of a file, `<!-- input: hello/call -->` a command that is
 * run, `<!-- output: hello/call -->` its output.
 */
export interface Mark {
  readonly kind: 'snippet' | 'input' | 'output'
  readonly name: string
}

export interface Block {
  /** Relative to the root. */
  readonly file: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Number of lines of the text. */
  readonly height: number
  readonly mark: Mark | null
}

/** All pages for readers. */
export function markdownFiles(): readonly string[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    // The folder of the site's generator has copies of the pages.
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/.vitepress/'))
  const readmes = ['packages', 'samples'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`),
  )
  const own = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'skills/toolwright/SKILL.md',
  ]
  return [...own, ...readmes, ...pages].filter((file) => existsSync(join(root, file))).toSorted()
}

export function readPage(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

export function blocksIn(file: string): readonly Block[] {
  const lines = readPage(file).split('\n')
  const blocks: Block[] = []
  for (let open = 0; open < lines.length; open++) {
    const fence = /^```(\w*)/.exec(lines[open] ?? '')
    if (fence === null) continue
    const close = lines.indexOf('```', open + 1)
    if (close === -1) throw new Error(`${file}:${open + 1}: the block does not end`)
    const text = lines.slice(open + 1, close).join('\n')
    const height = close - open - 1
    blocks.push({ file, line: open + 1, language: fence[1] ?? '', text, height, mark: readMark(lines[open - 1]) })
    open = close
  }
  return blocks
}

export const allBlocks = (): readonly Block[] => markdownFiles().flatMap(blocksIn)

function readMark(line = ''): Mark | null {
  const match = /^<!-- (snippet|input|output): (\S+) -->$/.exec(line)
  return match === null ? null : { kind: match[1] as Mark['kind'], name: match[2] ?? '' }
}

/**
 * Compares a block with its expected text, and names the block on failure. With `DOCS=write` in the environment, the
 * block is rewritten instead. Run Jest with `-i` then, because concurrent files would overwrite each other's pages.
 */
export function expectText(block: Block, text: string): void {
  if (process.env['DOCS'] === 'write') rewrite(block, text)
  else expect(`${block.file}:${block.line}\n${block.text}`).toBe(`${block.file}:${block.line}\n${text}`)
}

function rewrite(block: Block, text: string): void {
  // An earlier rewrite may have moved the block.
  const now = blocksIn(block.file).find(
    ({ mark, text: before }) =>
      before === block.text && mark?.kind === block.mark?.kind && mark?.name === block.mark?.name,
  )
  if (now === undefined || now.text === text) return
  const lines = readPage(block.file).split('\n')
  lines.splice(now.line, now.height, ...text.split('\n'))
  writeFileSync(join(root, block.file), lines.join('\n'))
}

/** The same for the rows of the table below the comment `<!-- MARK -->`. */
export function expectTable(file: string, mark: string, rows: readonly (readonly string[])[]): void {
  const lines = readPage(file).split('\n')
  const first =
    lines.findIndex((line, index) => index > lines.indexOf(`<!-- ${mark} -->`) && line.startsWith('| ---')) + 1
  const end = lines.findIndex((line, index) => index >= first && !line.startsWith('|'))
  const expected = rows.map((cells) => `| ${cells.join(' | ')} |`)
  if (process.env['DOCS'] === 'write') {
    lines.splice(first, end - first, ...expected)
    writeFileSync(join(root, file), lines.join('\n'))
  } else expect(lines.slice(first, end)).toEqual(expected)
}
