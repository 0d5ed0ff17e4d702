import { parseArgs } from 'node:util'
import { usageError } from '../command-error.js'
import type { Client, Scope } from './client.js'
import { clients } from './clients.js'

export const clientIds: readonly string[] = clients.map(({ id }) => id)

interface Flags {
  readonly name?: string
  readonly url?: string
  readonly stdio?: string
  readonly scope?: string
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly remove: boolean
  readonly 'dry-run': boolean
  readonly yes: boolean
  readonly json: boolean
  readonly 'no-start': boolean
}

export interface CommandLine {
  readonly flags: Flags
  readonly clients: readonly Client[]
  readonly entry: string | undefined
}

export function readCommandLine(rawArgs: readonly string[]): CommandLine {
  const { values, positionals } = parse(rawArgs)
  const chosen = [...new Set(positionals)].flatMap((word) => clients.filter(({ id }) => id === word))
  const others = positionals.filter((word) => !clientIds.includes(word))
  const [entry, more] = others
  const isFile = (word: string): boolean => /[./\\]/.test(word)
  const wrong = more ?? (entry !== undefined && !isFile(entry) ? entry : undefined)
  if (wrong !== undefined) {
    throw usageError(`'${wrong}' is neither a client nor a file. Clients: ${clientIds.join(', ')}.`)
  }
  const given = [entry, values.url, values.stdio].filter((value) => value !== undefined)
  if (given.length > 1) throw usageError('Give only one: an entry file, --url or --stdio.')
  if (values.header.length > 0 && values.url === undefined) throw usageError('--header needs --url.')
  if (values.env.length > 0 && values.url !== undefined)
    throw usageError('--env cannot be used with --url: the server is already running.')
  return { flags: values, clients: chosen, entry }
}

function parse(rawArgs: readonly string[]): { readonly values: Flags; readonly positionals: readonly string[] } {
  const text = { type: 'string' } as const
  const list = { type: 'string', multiple: true, default: [] as string[] } as const
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values, positionals } = parseArgs({
      args: [...rawArgs],
      allowPositionals: true,
      options: {
        name: text,
        url: text,
        stdio: text,
        scope: text,
        header: list,
        env: list,
        remove: flag,
        'dry-run': flag,
        yes: { ...flag, short: 'y' },
        json: flag,
        'no-start': flag,
      },
    })
    return { values, positionals }
  } catch (error) {
    throw usageError((error as Error).message)
  }
}

export function readScope(given: string | undefined): Scope {
  if (given === undefined || given === 'user' || given === 'project') return given ?? 'user'
  throw usageError(`--scope is '${given}'. Give user or project.`)
}
