import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { defineCommand } from 'citty'
import { type Connection, connect } from '../client/connect.js'
import { connectionFlags, flagOf, isSet, readCommandLine, rejectRest } from '../client/flags.js'
import { readTools } from '../client/read-tools.js'
import { chooseTarget, isTarget } from '../client/target.js'
import { CommandError, reportErrors, usageError } from '../command-error.js'
import { note, oneLine, print } from '../terminal.js'
import { withExamples } from '../usage.js'

const { json: _json, ...flags } = connectionFlags

const args = {
  target: { type: 'positional', required: false, description: 'URL or entry file (default: found in this folder)' },
  out: { type: 'string', valueHint: 'file', description: 'Write this file (default: print to stdout)' },
  check: { type: 'boolean', description: 'Write nothing; exit with code 1 if the file of --out is out of date' },
  ...flags,
} as const

export const types = withExamples(
  defineCommand({
    meta: { name: 'types', description: 'Write the types of the tools of a server, for @toolwright/client' },
    args,
    run: ({ rawArgs }) => reportErrors(() => writeTypes(rawArgs)),
  }),
  [
    ['toolwright types --out src/tools.ts', 'the tools of the project in this folder'],
    ['toolwright types https://example.com/mcp --out src/tools.ts', 'the tools of a running server'],
    ['toolwright types --check --out src/tools.ts -- node server.js', 'in CI: fail if the tools have changed'],
  ],
)

async function writeTypes(rawArgs: readonly string[]): Promise<void> {
  const line = readCommandLine(rawArgs, args)
  rejectRest(line, args)
  const [given, ...others] = line.positionals
  const unexpected = given !== undefined && !isTarget(given) ? given : others[0]
  if (unexpected !== undefined) throw usageError(`Unexpected argument '${unexpected}'. Give a URL or an entry file.`)
  const file = flagOf(line.flags, 'out')
  const isCheck = isSet(line.flags, 'check')
  if (isCheck && file === undefined) throw usageError('--check needs the file: --check --out FILE.')
  const connection = await connect(chooseTarget(given, line), line.flags)
  const [server, tools] = await readServer(connection)
  const { declareTools } = await import('../types/declare-tools.js')
  const text = await declareTools(server, tools)
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  if (file === undefined) await print(text)
  else if (isCheck) await check(file, text, count)
  else write(file, text, count)
}

async function readServer(connection: Connection): Promise<readonly [string, readonly Tool[]]> {
  const { client } = connection
  try {
    const tools = client.capabilities.tools === undefined ? [] : await readTools(connection)
    if (tools.length === 0) throw new CommandError(['The server lists no tools.', ...connection.reasons()].join('\n'))
    return [client.serverInfo?.name ?? 'without a name', tools]
  } catch (error) {
    throw await connection.explain(error)
  } finally {
    await connection.close()
  }
}

async function check(file: string, text: string, count: string): Promise<void> {
  const existing = readIfExists(file)
  if (existing === null) throw new CommandError(`${file} does not exist. Run the command without --check to write it.`)
  // Ignores different line ends, because Git may have changed them.
  const normalized = existing.replaceAll('\r\n', '\n')
  if (normalized === text) return note(`${file} is up to date: ${count}.`)
  const { compareDeclarations } = await import('../types/compare-declarations.js')
  const { added, removed, changed } = compareDeclarations(normalized, text)
  const lines = [
    ...added.map((name) => `  added    ${oneLine(name)}`),
    ...removed.map((name) => `  removed  ${oneLine(name)}`),
    ...changed.map((name) => `  changed  ${oneLine(name)}`),
  ]
  const found = lines.length === 0 ? ['  The tools are the same, but other lines have changed.'] : lines
  const heading = `${file} is out of date:`
  throw new CommandError([heading, ...found, 'Run the command without --check to update it.'].join('\n'))
}

function write(file: string, text: string, count: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`)
  }
  note(`Wrote ${count} to ${file}.`)
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
