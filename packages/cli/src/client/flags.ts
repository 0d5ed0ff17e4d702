import type { ArgsDef } from 'citty'
import { usageError } from '../command-error.js'

export const connectionFlags = {
  stdio: { type: 'string', valueHint: 'command', description: 'Start this command, and connect to it over stdio' },
  as: { type: 'string', valueHint: 'json', description: 'Caller of a project: {"subject":"ann","roles":["Admin"]}' },
  era: {
    type: 'enum',
    options: ['auto', 'modern', 'legacy'],
    description: 'Protocol revisions to use (default: auto)',
  },
  header: { type: 'string', valueHint: 'name: value', description: 'Send an HTTP header; repeatable' },
  bearer: { type: 'string', valueHint: 'token', description: 'Send this token (default: TOOLWRIGHT_TOKEN)' },
  login: {
    type: 'boolean',
    description: 'If the server requires login, log in with the browser, even without a terminal',
  },
  browser: { type: 'boolean', description: 'With --no-browser, only print the URL of the login page', default: true },
  clientId: {
    type: 'string',
    valueHint: 'id',
    description: 'OAuth client id, if the provider does not register clients',
  },
  timeout: {
    type: 'string',
    valueHint: 'seconds',
    description: 'Cancel after this many seconds without a response or progress (default: 60)',
  },
  json: { type: 'boolean', description: 'Print JSON as the server sent it' },
} as const satisfies ArgsDef

/** Values of flags by their names in camel case. Repeated flags have several values. */
export type Flags = ReadonlyMap<string, readonly string[]>

export interface CommandLine {
  readonly flags: Flags
  /** Arguments before the first unknown flag, without the flags of the command. */
  readonly positionals: readonly string[]
  /** Arguments of a tool: everything from the first unknown flag on. */
  readonly rest: readonly string[]
  /** Arguments after `--`: the command of a stdio server. `null` without `--`. */
  readonly command: readonly string[] | null
}

/**
 * Splits the arguments of a command. Flags of the command can stand anywhere before `--`. All other flags belong to the
 * tool. Only the schema of the tool has the types of these flags.
 *
 * @throws CommandError if a flag has no value.
 */
export function readCommandLine(args: readonly string[], known: ArgsDef): CommandLine {
  const end = args.indexOf('--')
  const own = end === -1 ? [...args] : args.slice(0, end)
  const flags = new Map<string, string[]>()
  const positionals: string[] = []
  const rest: string[] = []
  for (let arg = own.shift(); arg !== undefined; arg = own.shift()) {
    const [, negated, name = '', inline] = /^--(no-)?([^=]+)(?:=([^]*))?$/.exec(arg) ?? []
    const key = camel(name)
    const type = Object.hasOwn(known, key) ? known[key]?.type : undefined
    const isKnown = type !== undefined && type !== 'positional' && (negated === undefined || type === 'boolean')
    if (isKnown) {
      const value = type === 'boolean' ? (inline ?? String(negated === undefined)) : (inline ?? valueOf(name, own))
      flags.set(key, [...(flags.get(key) ?? []), value])
    } else if (rest.length > 0 || (arg.startsWith('-') && arg !== '-')) rest.push(arg)
    else positionals.push(arg)
  }
  return { flags, positionals, rest, command: end === -1 ? null : args.slice(end + 1) }
}

function valueOf(name: string, following: string[]): string {
  const value = following.shift()
  if (value === undefined) throw usageError(`--${name} needs a value.`)
  return value
}

export function flagOf(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1)
}

export function isSet(flags: Flags, name: string): boolean {
  return flagOf(flags, name) === 'true'
}

export function readPort(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) < 65_536) return Number(given)
  throw usageError(`--port is '${given}'. Give a number from 0 to 65535.`)
}

export function rejectRest({ rest }: CommandLine, known: ArgsDef): void {
  if (rest.length === 0) return
  const names = Object.keys(known).filter((name) => known[name]?.type !== 'positional')
  const flags = names.map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  throw usageError(`Unknown flag '${rest[0]}'. The flags are ${flags.join(', ')}.`)
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
