import { dirname } from 'node:path'
import { usageError } from '../command-error.js'
import { findEntry, isEntryName } from '../find-entry.js'
import { nodeArguments } from '../run-entry.js'
import { type CommandLine, flagOf } from './flags.js'

export type Target = HttpTarget | StdioTarget

export interface HttpTarget {
  readonly kind: 'http'
  readonly url: URL
}

export interface StdioTarget {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly isEntry: boolean
  readonly label: string
}

export function isTarget(argument: string): boolean {
  return isUrl(argument) || isEntryName(argument)
}

export function isUrl(argument: string): boolean {
  return /^https?:\/\//i.test(argument)
}

/**
 * Chooses the server: a URL, a command after `--stdio` or `--`, or an entry file.
 *
 * @param given URL or entry file; without it, an entry file is searched for in the working directory.
 * @throws CommandError if more than one server is given, or the entry file does not exist.
 */
export function chooseTarget(given: string | undefined, { flags, command }: CommandLine): Target {
  const target = findTarget(given, { flags, command })
  const caller = flagOf(flags, 'as')
  if (caller === undefined) return target
  if (target.kind === 'http' || !target.isEntry) {
    throw usageError('--as is for a project. Pass --bearer or --header to a URL, and --as to the program of a command.')
  }
  return { ...target, args: [...target.args, '--as', checkCaller(caller)] }
}

/** Checks that a caller is a JSON object with a subject. The program checks the other members. */
function checkCaller(given: string): string {
  try {
    const { subject } = JSON.parse(given) as { readonly subject?: unknown }
    if (typeof subject === 'string' && subject !== '') return given
  } catch {
    // The mistake is reported below.
  }
  throw usageError(`--as is '${given}'. Give JSON with a subject, such as '{"subject":"ann","roles":["Admin"]}'.`)
}

function findTarget(given: string | undefined, { flags, command }: Pick<CommandLine, 'flags' | 'command'>): Target {
  const line = flagOf(flags, 'stdio')
  const words = command ?? (line === undefined ? null : splitWords(line))
  if (words !== null) {
    if (given !== undefined || (command !== null && line !== undefined)) {
      throw usageError('Give one server: a URL, an entry file, --stdio or -- COMMAND.')
    }
    const [program, ...args] = words
    if (program === undefined) throw usageError('The command of the server is missing.')
    return { kind: 'stdio', command: program, args, isEntry: false, label: words.join(' ') }
  }
  if (given !== undefined && /^https?:/i.test(given)) return { kind: 'http', url: parseUrl(given) }
  const entry = findEntry(process.cwd(), given)
  const args = [...nodeArguments(entry), '--stdio']
  return { kind: 'stdio', command: process.execPath, args, isEntry: true, label: `the server of ${dirname(entry)}` }
}

function parseUrl(given: string): URL {
  if (URL.canParse(given)) {
    const url = new URL(given)
    if (url.username === '' && url.password === '') return url
    throw usageError(`The URL of ${url.host} has a name or a password. Pass credentials with --header or --bearer.`)
  }
  throw usageError(`'${given}' is not a URL. Give one such as http://127.0.0.1:3000/mcp.`)
}

export function describeTarget(target: Target): string {
  return target.kind === 'http' ? target.url.href : target.label
}

/** Splits a command line at white space, outside of quotes. Backslashes stay: they are part of Windows paths. */
export function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}
