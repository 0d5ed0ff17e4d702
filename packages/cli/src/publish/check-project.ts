import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, fail, listSome, ok, warn } from '../doctor/finding.js'
import { type Manifest, type Repository, readProgram, suggestServerName } from './manifest.js'
import type { Remote, ServerJson } from './server-json.js'
import type { Variable } from './variables.js'

export interface Project {
  readonly folder: string
  readonly manifest: Manifest
  readonly repository: Repository | null
  /** The `server.json` in the folder; empty if the file does not exist. */
  readonly existing: ServerJson
  readonly remotes: readonly Remote[]
  readonly wantsBundle: boolean
}

const exactVersion = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/

export function checkManifest(project: Project): readonly Finding[] {
  const { manifest, existing, wantsBundle } = project
  const { version = '', author } = manifest
  const description = existing.description ?? manifest.description ?? ''
  return [
    checkName(project),
    exactVersion.test(version)
      ? ok('version', version)
      : fail('version', `the version is '${version}'`, 'Set an exact version: npm pkg set version=1.0.0'),
    checkDescription(description),
    checkRepository(project),
    checkWays(project),
    ...(wantsBundle && author === undefined
      ? [fail('author', 'a bundle needs an author', 'Run: npm pkg set author="Ann <ann@example.com>"')]
      : []),
  ]
}

function checkName({ manifest, repository, existing }: Project): Finding {
  const { mcpName } = manifest
  const suggested = existing.name ?? suggestServerName(manifest, repository) ?? 'com.example/NAME'
  if (mcpName === undefined) {
    const found = 'package.json has no mcpName. The registry compares it with the name of the server.'
    // A server without a package in npm has a name in server.json only.
    const isNamed = manifest.private === true && suggested !== 'com.example/NAME'
    return isNamed ? ok('name', suggested) : fail('name', found, `Run: npm pkg set mcpName=${suggested}`)
  }
  if (existing.name !== undefined && existing.name !== mcpName) {
    const found = `server.json has the name '${existing.name}', and package.json the mcpName '${mcpName}'`
    return fail('name', found, 'Use the same name in both files.')
  }
  return ok('name', mcpName)
}

function checkDescription(description: string): Finding {
  if (description === '') {
    return fail('description', 'package.json has no description', 'Run: npm pkg set description="…"')
  }
  // The registry counts characters, not UTF-16 units.
  const { length } = Array.from(description)
  if (length <= 100) return ok('description', description)
  return fail('description', `${length} characters`, 'Shorten it to 100 characters, in package.json or server.json.')
}

function checkRepository({ repository }: Project): Finding {
  if (repository !== null) return ok('repository', repository.url)
  const found = 'package.json has no repository on GitHub or GitLab, so server.json has none'
  return warn('repository', found, 'Run: npm pkg set repository=github:OWNER/NAME')
}

function checkWays({ manifest, existing, remotes, wantsBundle }: Project): Finding {
  const all = [...(existing.remotes ?? []), ...remotes]
  const hasBundle = wantsBundle || existing.packages?.some(({ registryType }) => registryType === 'mcpb') === true
  const ways = [
    ...(manifest.private === true ? [] : [`npm package ${manifest.name ?? ''}`]),
    ...(hasBundle ? ['bundle'] : []),
    ...all.map(({ url }) => url),
  ]
  if (ways.length > 0) return ok('transport', listSome(ways))
  const fix = 'Publish it (npm pkg delete private), or give --bundle or --remote URL.'
  return fail('transport', 'the package is private, and there is no bundle and no remote', fix)
}

export function checkRemotes(remotes: readonly Remote[]): readonly Finding[] {
  return remotes.flatMap(({ url }) => {
    const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {}
    const isPrivate = /^(localhost|127\.|10\.|192\.168\.|\[)|\.(local|localhost|internal)$/.test(hostname)
    if (protocol === 'https:' && !isPrivate) return []
    return [fail('remote', `'${url}' is not a public URL with https`, 'Give the URL that clients use.')]
  })
}

/** Checks the files that `npm publish` uploads. @param files Paths relative to the folder. */
export function checkFiles({ folder, manifest }: Project, files: readonly string[], entry: string): readonly Finding[] {
  const secrets = files.filter((file) => /(^|\/)\.env(\.(?!example$).*)?$/.test(file))
  return [
    files.includes(entry)
      ? ok('files', `${files.length} files, with ${entry}`)
      : fail(
          'files',
          `npm would not upload '${entry}'`,
          `Build the project, and run: npm pkg set "files[]=${entry.split('/')[0]}"`,
        ),
    ...(secrets.length === 0
      ? []
      : [
          fail(
            'files',
            `npm would upload ${listSome(secrets)}`,
            'Give `files` in package.json, or add it to .npmignore.',
          ),
        ]),
    ...(manifest.private === true ? [] : [checkProgram(folder, manifest, files)]),
  ]
}

function checkProgram(folder: string, manifest: Manifest, files: readonly string[]): Finding {
  const program = readProgram(manifest)
  if (program === null) {
    return fail('bin', 'package.json has no bin, so npx cannot start the server', 'Run: npm pkg set bin=dist/main.js')
  }
  if (!files.includes(program)) {
    return fail('bin', `npm would not upload '${program}'`, 'Correct `bin` or `files` in package.json, and build.')
  }
  if (readFileSync(join(folder, program), 'utf8').startsWith('#!')) return ok('bin', program)
  const fix = "Begin the source file with '#!/usr/bin/env node', and build."
  return fail('bin', `'${program}' has no first line for the shell`, fix)
}

export function checkVariables(variables: readonly Variable[]): Finding {
  const unknown = variables.filter(({ isDocumented }) => !isDocumented).map(({ name }) => name)
  if (unknown.length > 0) {
    const found = `.env.example lacks ${listSome(unknown)}, which the server requires`
    return warn('variables', found, 'Add them with a comment: server.json gets the descriptions.')
  }
  const names = variables.map(({ name, isRequired }) => (isRequired ? name : `[${name}]`))
  return ok('variables', names.length === 0 ? 'none' : listSome(names))
}
