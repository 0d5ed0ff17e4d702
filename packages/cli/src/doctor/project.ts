import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { connect } from '../client/connect.js'
import type { Flags } from '../client/flags.js'
import { readTools } from '../client/read-tools.js'
import { chooseTarget } from '../client/target.js'
import { CommandError } from '../command-error.js'
import { explainEntry } from '../explain-entry.js'
import { readSettings } from '../settings.js'
import { findUp } from '../tsconfig.js'
import { checkBuild } from './build.js'
import { checkTsconfig } from './check-tsconfig.js'
import { checkCopies } from './copies.js'
import { type Finding, fail, listSome, ok, warn } from './finding.js'
import { checkOpenApi } from './openapi.js'
import { checkTools } from './tools.js'

export async function checkProject(entry: string, flags: Flags): Promise<readonly Finding[]> {
  const manifest = findUp(dirname(entry), 'package.json')
  const folder = manifest === null ? dirname(entry) : dirname(manifest)
  const files = [checkNode(), ...checkTsconfig(folder), ...checkBuild(folder), ...checkCopies(folder)]
  return [...files, ...(await checkServer(entry, flags)), await checkPort(readSettings(entry))]
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isSupported = major > 20 || (major === 20 && minor >= 19)
  const text = `version ${process.versions.node}`
  return isSupported ? ok('node', text) : fail('node', text, 'Install Node 20.19 or newer.')
}

/** The report of `serve --explain --json`, with only the members that this file uses. */
interface Report {
  readonly tools: readonly object[]
  readonly modules: readonly { readonly file: string; readonly skipped?: string; readonly missingSource?: string }[]
  readonly hints: readonly string[]
  readonly overlaps: readonly string[]
  readonly slowSchemas: readonly string[]
  readonly closed: string | null
  readonly sources: readonly { readonly documents: readonly string[] }[]
}

async function checkServer(entry: string, flags: Flags): Promise<readonly Finding[]> {
  try {
    const report = JSON.parse(await explainEntry(entry, { json: true })) as Report
    const documents = report.sources.flatMap((source) => source.documents)
    const files = await Promise.all(documents.map(checkOpenApi))
    return [
      ok('boot', 'the server starts'),
      ...checkReport(report),
      ...files.flat(),
      ...(await checkListedTools(entry, flags)),
    ]
  } catch (error) {
    const message =
      error instanceof CommandError ? error.message : `the report is not JSON: ${(error as Error).message}`
    return [fail('boot', message, 'Fix this problem first: the other checks need a server that starts.')]
  }
}

function checkReport({ hints, overlaps, slowSchemas, closed, modules }: Report): readonly Finding[] {
  const skipped = modules.filter((module) => module.skipped !== undefined).map(({ file }) => file)
  return [
    ...hints.map((hint) => warn('not served', hint, 'Export the class, or list it in `controllers`.')),
    ...overlaps.map((overlap) => warn('overlaps', overlap, 'Change one of the templates.')),
    // Another check finds slow patterns, even if the project has no checker.
    ...slowSchemas
      .filter((slow) => !slow.includes(': the pattern '))
      .map((slow) => fail('slow schema', slow, 'Change the schema as described.')),
    ...(closed === null ? [] : [warn('closed', closed, 'Add `authentication`, or `@AllowAnonymous()`.')]),
    ...(skipped.length === 0
      ? []
      : [
          warn('modules', `not loaded: ${listSome(skipped)}`, 'Move the classes out of the module that calls `serve`.'),
        ]),
  ]
}

async function checkListedTools(entry: string, flags: Flags): Promise<readonly Finding[]> {
  const connection = await connect(chooseTarget(entry, { flags, positionals: [], rest: [], command: null }), flags)
  try {
    const tools = await readTools(connection)
    return checkTools(tools, connection.reasons())
  } finally {
    await connection.close()
  }
}

function checkPort(settings: Readonly<Record<string, string | undefined>>): Promise<Finding> {
  const { PORT: given = '', HOST: name = '' } = settings
  const port = given === '' ? 3000 : Number(given)
  if (port === 0) return Promise.resolve(ok('port', 'any free port'))
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return Promise.resolve(fail('port', `PORT is '${given}'`, 'Give a number from 0 to 65535.'))
  }
  const host = name === '' ? '127.0.0.1' : name
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text = `${host}:${port} is not free (${error.code ?? error.message})`
      resolve(warn('port', text, 'Stop the other program, or choose another port: PORT=3001.'))
    })
    server.listen(port, host, () => server.close(() => resolve(ok('port', `${host}:${port} is free`))))
  })
}
