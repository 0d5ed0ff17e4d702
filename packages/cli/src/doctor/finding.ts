import { type Output, paint, safeText } from '../terminal.js'

export type Status = 'ok' | 'warn' | 'fail'

export interface Finding {
  readonly check: string
  readonly status: Status
  readonly found: string
  /** The action that fixes the finding. Checks that passed have no fix. */
  readonly fix?: string
  /** Clients that the finding is about. Default: all. */
  readonly clients?: readonly string[]
}

export const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found })
export const warn = (check: string, found: string, fix: string): Finding => ({ check, status: 'warn', found, fix })
export const fail = (check: string, found: string, fix: string): Finding => ({ check, status: 'fail', found, fix })

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export function formatFindings(findings: readonly Finding[], output: Output): readonly string[] {
  const width = Math.max(0, ...findings.map(({ check }) => check.length))
  const all = new Set(findings.flatMap(({ clients = [] }) => clients)).size
  const lines = findings.flatMap(({ check, status, found, fix, clients = [] }) => [
    `  ${paint(output, colours[status], status.padEnd(4))}  ${check.padEnd(width)}  ${indent(`${namesOf(clients, all)}${found}`, width + 10)}`,
    ...(fix === undefined ? [] : [paint(output, 'dim', `${' '.repeat(width + 10)}Fix: ${indent(fix, width + 15)}`)]),
  ])
  return [...lines, '', summarize(findings)]
}

function namesOf(clients: readonly string[], all: number): string {
  return clients.length === 0 || clients.length === all ? '' : `${clients.join(', ')}: `
}

function indent(text: string, width: number): string {
  return safeText(text).replaceAll('\n', `\n${' '.repeat(width)}`)
}

function summarize(findings: readonly Finding[]): string {
  const count = (status: Status): number => findings.filter((each) => each.status === status).length
  const plural = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`
  return `${plural(findings.length, 'check')}: ${plural(count('fail'), 'failure')}, ${plural(count('warn'), 'warning')}`
}

export function listSome(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
}
