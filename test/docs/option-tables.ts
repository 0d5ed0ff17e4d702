import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { markdownFiles, readPage, root } from './markdown.js'

/** A description of options at run time. */
type Rows = Readonly<
  Record<string, { readonly type: string; readonly default: unknown; readonly isRequired?: boolean }>
>

/** A table of options in a page, below `<!-- options: NAME FILE -->`. */
export interface OptionTable {
  readonly page: string
  /** `options: NAME FILE` */
  readonly mark: string
  /** Of the table's head: `Option`, `Type`, `Means`, `Default`. */
  readonly columns: readonly string[]
  readonly options: readonly OptionDocs[]
}

export interface OptionDocs {
  readonly name: string
  readonly type: string
  readonly means: string
  /** Links of `@see`: targets relative to the root. */
  readonly seeAlso: readonly string[]
  readonly beyond: string
  /** Text of the JSDoc comment after "Default:". */
  readonly writtenDefault: string | undefined
  /** The default in the code, if the code states a default. */
  readonly expectedDefault: string | undefined
  readonly isRequired: boolean
  readonly default: unknown
}

/** The tables of all pages. */
export async function readOptionTables(): Promise<readonly OptionTable[]> {
  const tables = markdownFiles().flatMap((page) => {
    const lines = readPage(page).split('\n')
    return lines.flatMap((line, index) => {
      const [, name, file] = /^<!-- options: (\S+) (\S+) -->$/.exec(line) ?? []
      if (name === undefined || file === undefined) return []
      const head = lines.findIndex((row, at) => at > index && row.startsWith('| ---')) - 1
      const columns = (lines[head] ?? '').split('|').map((column) => column.trim())
      return [{ page, mark: `options: ${name} ${file}`, columns: columns.slice(1, -1), name, file }]
    })
  })
  return Promise.all(
    tables.map(async ({ name, file, ...table }) => ({ ...table, options: await readOptions(file, name) })),
  )
}

/** The cells of the rows that a table should have. */
export function toCells({ page, columns, options }: OptionTable): readonly (readonly string[])[] {
  return options.map((option) => columns.map((column) => cellOf(option, column, page)))
}

function cellOf(option: OptionDocs, column: string, page: string): string {
  switch (column) {
    case 'Type':
    case 'Unit':
      return option.type
    case 'Default':
      return defaultCell(option)
    case 'When exceeded':
      return option.beyond
    case 'Means':
    case 'Bounds':
    case 'Claim with':
      return meansCell(option, page)
    default:
      return nameCell(option, page)
  }
}

/** The name, as a link to the first `@see`. */
function nameCell({ name, seeAlso: [target] }: OptionDocs, page: string): string {
  return target === undefined ? `\`${name}\`` : `[\`${name}\`](${relativeTo(page, target)})`
}

/** `Means`, with a link for each further `@see`. */
function meansCell({ means, seeAlso: [, ...others] }: OptionDocs, page: string): string {
  const links = others.map((target) => `See [${headingOf(target)}](${relativeTo(page, target)})`)
  return [means, ...links].filter((part) => part !== '').join('. ')
}

function relativeTo(page: string, target: string): string {
  const [path = '', anchor] = target.split('#')
  const relative = path === page ? '' : posix.relative(posix.dirname(page), path)
  return anchor === undefined ? relative : `${relative}#${anchor}`
}

function defaultCell({ default: value, isRequired, writtenDefault = 'none' }: OptionDocs): string {
  if (isRequired) return 'required'
  if (typeof value === 'boolean') return `\`${value}\``
  if (typeof value !== 'number' || value === Infinity) return writtenDefault
  const isPlain = value.toLocaleString('en-US') === writtenDefault
  return isPlain ? `\`${value}\`` : `\`${value}\` (${writtenDefault})`
}

async function readOptions(file: string, name: string): Promise<readonly OptionDocs[]> {
  const module = (await import(join(root, file))) as Readonly<Record<string, Rows>>
  const docs = readComments(file, name)
  return Object.entries(module[name] ?? {}).map(([option, row]) => {
    const text = docs.get(option) ?? ''
    const [, means = '', beyond = '', writtenDefault] =
      /^(.*?)\.?(?: ?When exceeded: (.*?)\.)?(?: ?Default: (.*)\.)?$/s.exec(withoutTags(text)) ?? []
    return {
      name: option,
      type: row.type,
      means,
      seeAlso: seeAlso(text),
      beyond,
      writtenDefault,
      expectedDefault: describeDefault(row.default, row.type),
      isRequired: row.isRequired === true,
      default: row.default,
    }
  })
}

function withoutTags(text: string): string {
  return text.replace(/\s*@see.*$/s, '').replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
}

function seeAlso(text: string): readonly string[] {
  return [...text.matchAll(/@see (\S+)/g)].map(([, target = '']) => target)
}

function headingOf(target: string): string {
  const [path = '', anchor] = target.split('#')
  const headings = [...readPage(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  return headings.find((heading) => anchor === undefined || slug(heading) === anchor) ?? target
}

/** JSDoc comments of the properties of an object literal, and of those that it spreads. */
function readComments(file: string, name: string): ReadonlyMap<string, string> {
  const source = readFileSync(join(root, file), 'utf8')
  const [, body] = new RegExp(`^(?:export )?const ${name}\\b[^=]*= \\{\n(.*?)^\\}`, 'ms').exec(source) ?? []
  if (body === undefined) {
    const [, from] = new RegExp(`import [^;]*?\\b${name}\\b[^;]*? from '(\\.[^']+)\\.js'`).exec(source) ?? []
    if (from === undefined) throw new Error(`${file} has no object ${name}`)
    return readComments(posix.join(dirname(file), `${from}.ts`), name)
  }
  const spread = [...body.matchAll(/^ {2}\.\.\.(\w+),$/gm)].flatMap(([, other = '']) => [...readComments(file, other)])
  const own = [...body.matchAll(/^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+): /gms)]
  return new Map([
    ...spread,
    ...own.map(([, comment = '', option = '']): [string, string] => [option, textOf(comment)]),
  ])
}

function textOf(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim())
  return lines.join(' ').trim()
}

const units = [
  ['bytes', 1024 * 1024, 'MiB'],
  ['bytes', 1024, 'KiB'],
  ['ms', 3_600_000, 'h'],
  ['ms', 60_000, 'min'],
] as const

/** The default as a JSDoc comment has it; `undefined` where the code does not say. */
function describeDefault(value: unknown, type: string): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return `\`${value}\``
  if (typeof value !== 'number') return undefined
  if (value === Infinity) return 'no limit'
  const unit = units.find(([of, size]) => of === type && value >= size && value % size === 0)
  return unit === undefined ? value.toLocaleString('en-US') : `${value / unit[1]} ${unit[2]}`
}
