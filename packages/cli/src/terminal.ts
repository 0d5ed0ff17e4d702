import { styleText } from 'node:util'
import { CommandError, safeText } from './command-error.js'

export { safeText }

export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
}

type Format = Parameters<typeof styleText>[0]

/** Colours a text for a terminal. For other streams, and with `NO_COLOR`, returns the text unchanged. */
export function paint(output: Output, format: Format, text: string): string {
  const isPlain = output.isTTY !== true || (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb'
  return isPlain ? text : styleText(format, text)
}

export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim()
}

export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`
}

/**
 * Formats rows as aligned columns. On a terminal, the last column is cut to the width of the terminal.
 *
 * @param rows The first row is the heading.
 */
export function formatTable(rows: readonly (readonly string[])[], output: Output): readonly string[] {
  const [heading = []] = rows
  const last = heading.length - 1
  const widths = heading.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 2)
  const left = output.isTTY === true ? Math.max(20, (output.columns ?? 80) - before) : Number.POSITIVE_INFINITY
  return rows.map((row, index) => {
    const cells = row.map((cell, column) => (column === last ? cut(cell, left) : cell.padEnd(widths[column] ?? 0)))
    const line = `  ${cells.join('  ')}`.trimEnd()
    return index === 0 ? paint(output, 'dim', line) : line
  })
}

/**
 * Writes to stdout, and waits until a slow reader has read the text. Stops waiting if the reader closes the pipe, as
 * `head` does.
 *
 * @throws CommandError if the text cannot be written, such as to a full disk.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: NodeJS.ErrnoException | null): void => {
      if (error === undefined || error === null || error.code === 'EPIPE') resolve()
      else reject(new CommandError(`The output cannot be written: ${error.message}`))
    }
    process.stdout.once('error', settle)
    process.stdout.write(text, settle)
  })
}

/** Writes a note for the user to stderr, because stdout is for results. The note may contain texts of a server. */
export function note(text: string): void {
  process.stderr.write(`${paint(process.stderr, 'dim', safeText(text))}\n`)
}

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

const unsafeInJson = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

/**
 * Formats JSON for people and for other programs. Characters that could change the display of the terminal are escaped,
 * which does not change the value.
 */
export function json(value: unknown): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, 2).replaceAll(unsafeInJson, escape)
}
