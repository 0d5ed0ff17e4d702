import { existsSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CommandError, usageError } from '../command-error.js'
import { type Finding, fail, ok } from '../doctor/finding.js'
import { findEntry } from '../find-entry.js'
import { builtEntry } from '../install/server-arguments.js'
import { bundleName, packBundle } from './bundle.js'
import { checkFiles, checkManifest, checkRemotes, checkVariables, type Project } from './check-project.js'
import { type Manifest, readJson, readManifest, readProgram, readRepository, suggestServerName } from './manifest.js'
import { nextSteps } from './next-steps.js'
import { listPublishedFiles } from './published-files.js'
import { createServerJson, type PublishedBundle, type Remote, type ServerJson } from './server-json.js'
import { findSchemaErrors } from './server-schema.js'
import { findVariables, type Variable } from './variables.js'

export const serverFile = 'server.json'

export interface PublishOptions {
  readonly folder: string
  /** The built program, relative to the folder. */
  readonly entry: string | undefined
  readonly wantsBundle: boolean
  readonly bundleUrl: string | undefined
  readonly remotes: readonly Remote[]
  readonly starts: boolean
  readonly mode: 'write' | 'show' | 'check'
}

export interface Prepared {
  readonly findings: readonly Finding[]
  readonly serverJson: ServerJson
  /** Written files, relative to the folder. */
  readonly written: readonly string[]
  /** Commands that publish; empty if a check failed. */
  readonly next: readonly string[]
}

/** The program that users start. A server that is listed only with its URL needs no program. */
interface Program {
  readonly entry: string
  readonly files: readonly string[]
  readonly variables: readonly Variable[]
  readonly findings: readonly Finding[]
}

/**
 * Checks a project, creates its `server.json`, and packs its bundle. Writes files only if all checks pass.
 *
 * @throws CommandError
 */
export async function prepare(options: PublishOptions): Promise<Prepared> {
  const { folder, mode, wantsBundle, remotes } = options
  const manifest = readManifest(folder)
  const existing: ServerJson | null = readJson(join(folder, serverFile))
  const faults = existing === null ? [] : findSchemaErrors(existing)
  if (existing !== null && faults.length > 0) {
    const finding = fail(serverFile, faults.join('\n'), 'Correct the file.')
    return { findings: [finding], serverJson: existing, written: [], next: [] }
  }
  const repository = readRepository(manifest)
  const project: Project = { folder, manifest, repository, existing: existing ?? {}, remotes, wantsBundle }
  const isOnNpm = manifest.private !== true
  const program = isOnNpm || wantsBundle ? await readProgramOf(project, options.entry) : noProgram
  const name = manifest.mcpName ?? existing?.name ?? suggestServerName(manifest, repository) ?? ''
  const parts = { name, manifest, repository, variables: program.variables, isOnNpm, remotes }
  const planned = createServerJson(project.existing, { ...parts, bundle: null })
  const findings = [
    ...checkManifest(project),
    ...program.findings,
    ...checkRemotes(planned.remotes ?? []),
    ...checkServerJson(planned, manifest, wantsBundle),
    ...(mode === 'check' ? [compare(existing, planned)] : []),
  ]
  const isReady = findings.every(({ status }) => status !== 'fail')
  if (!isReady || mode !== 'write') return { findings, serverJson: planned, written: [], next: [] }
  const bundle = wantsBundle ? await pack(project, program, options) : null
  const serverJson = createServerJson(project.existing, { ...parts, bundle })
  const written = [...(bundle === null ? [] : [bundleName(manifest)]), serverFile]
  writeFileSync(join(folder, serverFile), `${JSON.stringify(serverJson, null, 2)}\n`)
  const next = nextSteps({ name, manifest, repository, bundle: bundle === null ? null : bundleName(manifest) })
  return { findings, serverJson, written, next }
}

const noProgram: Program = { entry: '', files: [], variables: [], findings: [] }

async function readProgramOf(project: Project, given: string | undefined): Promise<Program> {
  const { folder, manifest } = project
  const path = resolve(folder, given ?? readProgram(manifest) ?? relative(folder, builtEntry(findEntry(folder))))
  const entry = relative(folder, path).split(sep).join('/')
  if (!existsSync(path)) {
    return {
      ...noProgram,
      findings: [fail('files', `'${entry}' does not exist`, 'Build the project, or correct `bin`.')],
    }
  }
  if (manifest.name === undefined || manifest.version === undefined) return noProgram
  const files = await listPublishedFiles(folder)
  const checked = checkFiles(project, files, entry)
  try {
    const variables = await findVariables(folder, path)
    return { entry, files, variables, findings: [...checked, checkVariables(variables)] }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const boot = fail('boot', error.message, 'Fix this problem: clients would get the same error.')
    return { entry, files, variables: [], findings: [...checked, boot] }
  }
}

/** Checks the whole file. Checks of `package.json` already report missing members. */
function checkServerJson(planned: ServerJson, { version }: Manifest, wantsBundle: boolean): readonly Finding[] {
  const reported = /^'(name|version|description)' /
  const errors = findSchemaErrors(planned).filter((error) => !reported.test(error))
  const old = planned.packages?.find((each) => each.registryType === 'mcpb' && each.version !== version)
  return [
    errors.length === 0
      ? ok(serverFile, 'valid for the schema of the registry')
      : fail(serverFile, errors.join('\n'), 'Correct the file.'),
    ...(old === undefined || wantsBundle
      ? []
      : [
          fail('bundle', `${serverFile} lists the bundle of version ${old.version}`, 'Add --bundle to pack a new one.'),
        ]),
  ]
}

function compare(existing: ServerJson | null, planned: ServerJson): Finding {
  const fix = 'Run the command without --check to write it.'
  if (existing === null) return fail('check', `${serverFile} does not exist`, fix)
  const names = [...new Set([...Object.keys(existing), ...Object.keys(planned)])]
  const changed = names.filter((name) => !isDeepStrictEqual(existing[name], planned[name]))
  if (changed.length === 0) return ok('check', `${serverFile} is up to date`)
  return fail('check', `${serverFile} is out of date: ${changed.join(', ')}`, fix)
}

async function pack(project: Project, program: Program, options: PublishOptions): Promise<PublishedBundle> {
  const { folder, manifest, repository } = project
  const url = options.bundleUrl ?? defaultUrl(manifest, repository?.url)
  const { starts } = options
  const { entry, files, variables } = program
  return { url, sha256: await packBundle({ folder, manifest, repository, files, entry, variables, starts }) }
}

function defaultUrl(manifest: Manifest, repository: string | undefined): string {
  if (repository?.startsWith('https://github.com/') === true) {
    return `${repository}/releases/download/v${manifest.version}/${bundleName(manifest)}`
  }
  throw usageError('The URL of the bundle is unknown without a repository on GitHub. Give it: --bundle-url URL.')
}
