import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { secretFields } from '../client.js'
import {
  type DocumentFormat,
  hiddenValue,
  hideInText,
  InvalidDocument,
  type Path,
  toPlain,
  valueAt,
} from './document.js'

type Table = Readonly<Record<string, unknown>>

/**
 * TOML files. A new entry is a table at the end of the file, as people write it; the library would write a dotted key.
 */
export const tomlDocument: DocumentFormat = {
  parse: read,
  set: (text, path, value) => {
    const table = read(text)
    checkContainer(text, table, path)
    if (valueAt(table, path) === undefined && isTable(value)) {
      const added = append(text, path, value)
      if (added !== null) return added
    }
    return patch(text, change(table, path, value))
  },
  remove: (text, path) => removeTables(text, path) ?? patch(text, change(read(text), path, undefined)),
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

/**
 * Removes the table at a path and its sub-tables by lines. The library would also remove the comments before the next table.
 * Returns `null` if the path has no table header.
 */
function removeTables(text: string, path: Path): string | null {
  const lines = text.split('\n')
  const headers = [...lines.keys()].filter((index) => isHeader(lines[index] as string))
  const removed = new Set<number>()
  for (const [position, start] of headers.entries()) {
    const name = headerPath(lines[start] as string)
    if (!path.every((key, index) => name[index] === key)) continue
    const end = headers[position + 1] ?? lines.length
    // Comments after the last value belong to the next table.
    const last = lines.slice(start, end).findLastIndex((line) => !/^\s*(?:#|$)/.test(line))
    for (let index = start; index <= start + last; index++) removed.add(index)
    if (/^\s*$/.test(lines[start - 1] ?? 'text')) removed.add(start - 1)
  }
  return removed.size === 0 ? null : lines.filter((_, index) => !removed.has(index)).join('\n')
}

/** Whether a line looks like the header of a table. A line of a multi-line value may look alike: the caller checks the result. */
function isHeader(line: string): boolean {
  return /^\s*\[.*\]\s*(?:#.*)?\r?$/.test(line) && headerPath(line).length > 0
}

/** Returns the path of a header: `[a."b.c"]` -> `['a', 'b.c']`. The path is empty for other lines. */
function headerPath(line: string): Path {
  try {
    const path: string[] = []
    let inner: unknown = parse(line)
    for (let key = onlyKey(inner); key !== undefined; key = onlyKey(inner)) {
      path.push(key)
      inner = (inner as Table)[key]
    }
    return path
  } catch {
    return []
  }
}

function onlyKey(value: unknown): string | undefined {
  return isTable(value) ? Object.keys(value)[0] : undefined
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
