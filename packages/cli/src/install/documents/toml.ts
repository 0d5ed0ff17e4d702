import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { secretFields } from '../client.js'
import { type DocumentFormat, hiddenValue, hideInText, InvalidDocument, type Path, toPlain } from './document.js'

type Table = Readonly<Record<string, unknown>>

/**
 * TOML files. A new entry is a table at the end of the file, as people write it; the library would write a dotted key.
 */
export const tomlDocument: DocumentFormat = {
  parse: read,
  set: (text, path, value) => {
    const table = read(text)
    checkContainer(text, table, path)
    const isNew = path.reduce<unknown>((inner, key) => (inner as Table | undefined)?.[key], table) === undefined
    if (isNew && isTable(value)) {
      const added = append(text, path, value)
      if (added !== null) return added
    }
    return patch(text, change(table, path, value))
  },
  remove: (text, path) => patch(text, change(read(text), path, undefined)),
  hide,
}

function read(text: string): Record<string, unknown> {
  try {
    return toPlain(parse(text)) as Record<string, unknown>
  } catch (error) {
    const { line = 1, column = 0, message = '' } = error as { line?: number; column?: number; message?: string }
    // Does not use the whole message of the library: it quotes the line, which may have secrets.
    throw new InvalidDocument(message.split('\n').at(-1) ?? '', line, column + 1)
  }
}

function checkContainer(text: string, table: Table, [container = '']: Path): void {
  if (!Object.hasOwn(table, container) || isTable(table[container])) return
  const line = text
    .split('\n')
    .findIndex((each) => each.trimStart().startsWith(container) || each.includes(`[${container}]`))
  throw new InvalidDocument(`'${container}' is not a table`, line + 1, 1)
}

/** Appends a table. Returns `null` if TOML does not allow the table, such as after an inline table. */
function append(text: string, path: Path, value: Table): string | null {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const body = stringify(value, { inlineTableStart: 0 }).trim().split(/\r?\n/)
  const table = [`[${path.map(writeKey).join('.')}]`, ...body, ''].join(eol)
  const before = text === '' || text.endsWith(`${eol}${eol}`) ? '' : text.endsWith(eol) ? eol : `${eol}${eol}`
  const added = `${text}${before}${table}`
  try {
    parse(added)
    return added
  } catch {
    return null
  }
}

function writeKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

/** Returns a copy with another value at a path. The value `undefined` removes the member. */
function change(table: Table, [key, ...rest]: Path, value: unknown): Record<string, unknown> {
  if (key === undefined) return table
  const { [key]: old, ...others } = table
  const changed = rest.length === 0 ? value : change(isTable(old) ? old : {}, rest, value)
  if (changed === undefined) return others
  // Changes the member in its place, because the order of keys is the order in the file.
  return Object.hasOwn(table, key)
    ? Object.fromEntries(Object.entries(table).map(([name, member]) => [name, name === key ? changed : member]))
    : { ...table, [key]: changed }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Hides values line by line. The table headers show which lines belong to the entry. */
function hide(text: string, entry: Path): string {
  const header = entry.map(writeKey).join('.')
  let table = ''
  return text
    .split('\n')
    .map((line) => {
      const [, name] = /^\s*\[+\s*([\w.\-" ]+?)\s*\]+\s*(?:#.*)?\r?$/.exec(line) ?? []
      if (name !== undefined) {
        table = name
        return line.replace(/#.*/, '# …')
      }
      return hideLine(line, table === header)
    })
    .join('\n')
}

function hideLine(line: string, isOfEntry: boolean): string {
  if (line.trim() === '') return line
  if (line.trimStart().startsWith('#')) return '# …'
  const [, key] = /^\s*([\w.\-"]+)\s*=/.exec(line) ?? []
  if (key === undefined) return '…'
  if (!isOfEntry) return `${line.slice(0, line.indexOf('='))}= …`
  return secretFields.includes(key) ? hideStrings(line) : hideInText(line)
}

function hideStrings(line: string): string {
  const start = line.indexOf('=')
  return line.slice(0, start) + line.slice(start).replace(/=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*')/g, `= ${hiddenValue}`)
}
