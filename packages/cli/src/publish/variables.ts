import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import { CommandError } from '../command-error.js'
import { explainEntry } from '../explain-entry.js'

export interface Variable {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  readonly isDocumented: boolean
}

/** Variables of the HTTP server, which a process that serves stdio does not use. */
const ofHttp = ['HOST', 'PORT', 'ALLOWED_HOSTS']

const secretName = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|_DSN$|(DATABASE|REDIS|POSTGRES|MYSQL|MONGO)\w*_UR[IL]$/i

/**
 * Finds the variables of a project: those in `.env.example`, and those that `loadConfig` requires. For the second, starts
 * the built program without variables.
 *
 * @param entry Absolute path of the built program.
 * @throws CommandError if the program does not start for another reason than missing variables.
 */
export async function findVariables(folder: string, entry: string): Promise<readonly Variable[]> {
  const documented = readExample(folder)
  const required = await readMissing(entry)
  const names = [...new Set([...documented.keys(), ...required.keys()])].filter((name) => !ofHttp.includes(name))
  return names.map((name) => ({
    name,
    description: required.get(name) || documented.get(name) || name,
    isRequired: required.has(name),
    isSecret: secretName.test(name),
    isDocumented: documented.has(name),
  }))
}

/** Returns the names in `.env.example`, with the comments above them. A variable can be commented out. */
function readExample(folder: string): ReadonlyMap<string, string> {
  const file = join(folder, '.env.example')
  const found = new Map<string, string>()
  let comment: string[] = []
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split(/\r?\n/) : []) {
    const [, name] = /^(?:#\s*)?(?:export\s+)?([A-Za-z_]\w*)=/.exec(line) ?? []
    if (name !== undefined) found.set(name, comment.join(' '))
    comment = name === undefined && line.startsWith('#') ? [...comment, line.replace(/^#+\s*/, '')] : []
  }
  return found
}

async function readMissing(entry: string): Promise<ReadonlyMap<string, string>> {
  try {
    // The environment that clients give to servers.
    await explainEntry(entry, { json: true, environment: getDefaultEnvironment() })
    return new Map()
  } catch (error) {
    const message = error instanceof CommandError ? error.message : ''
    const missing = message.matchAll(
      /The environment variable (\w+) is not set(?: \(([^\n]*)\))?\. \[bad-environment\]/g,
    )
    const found = new Map([...missing].map(([, name = '', description = '']) => [name, description] as const))
    if (found.size === 0) throw error
    return found
  }
}

export function readValues(folder: string, variables: readonly Variable[]): Readonly<Record<string, string>> {
  const file = join(folder, '.env')
  const settings = { ...(existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}), ...process.env }
  return Object.fromEntries(
    variables.flatMap(({ name }) => {
      const value = settings[name] ?? ''
      return value === '' ? [] : [[name, value] as const]
    }),
  )
}
