import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, usageError } from '../command-error.js'

export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly description?: string
  readonly mcpName?: string
  readonly private?: boolean
  readonly author?: string | { readonly name?: string; readonly email?: string; readonly url?: string }
  readonly license?: string
  readonly homepage?: string
  readonly keywords?: readonly string[]
  readonly repository?: string | { readonly url?: string; readonly directory?: string }
  readonly bin?: string | Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
}

export interface Repository {
  readonly url: string
  readonly source: 'github' | 'gitlab'
  readonly subfolder?: string
}

export function readManifest(folder: string): Manifest {
  const manifest = readJson(join(folder, 'package.json'))
  if (manifest === null)
    throw usageError(`${folder} has no package.json. Run the command in the folder of the project.`)
  return manifest
}

/** Reads an object from a JSON file. @returns `null` if the file does not exist. @throws CommandError */
export function readJson(file: string): Readonly<Record<string, unknown>> | null {
  if (!existsSync(file)) return null
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw new CommandError(`'${file}' cannot be read: ${(error as Error).message}. Correct the file.`)
  }
  throw new CommandError(`'${file}' is not a JSON object. Correct the file.`)
}

/**
 * Reads the repository in each form that npm accepts: `github:owner/name`, `owner/name`, URLs for git and browsers.
 *
 * @returns `null` if the repository is missing, or is not on a site that the registry accepts.
 */
export function readRepository({ repository }: Manifest): Repository | null {
  const { url = '', directory } =
    typeof repository === 'object' ? repository : { url: repository, directory: undefined }
  const short = /^(?:(github|gitlab):)?([\w.-]+\/[\w.-]+)$/.exec(url)
  const [, site, path = ''] = short ?? /(github|gitlab)\.com[/:]([\w.-]+\/[\w./-]+?)(?:\.git)?\/?$/.exec(url) ?? []
  if (path === '') return null
  const source = site === 'gitlab' ? 'gitlab' : 'github'
  return { url: `https://${source}.com/${path}`, source, ...(directory === undefined ? {} : { subfolder: directory }) }
}

export function suggestServerName({ name = '' }: Manifest, repository: Repository | null): string | null {
  const [, owner] = /^https:\/\/github\.com\/([^/]+)\//.exec(repository?.url ?? '') ?? []
  const short = name.replace(/^@[^/]*\//, '')
  return owner === undefined || short === '' ? null : `io.github.${owner}/${short}`
}

/** Returns the file that `npx` starts, without a leading `./`; `null` without a program. */
export function readProgram({ name = '', bin }: Manifest): string | null {
  const short = name.replace(/^@[^/]*\//, '')
  const file = typeof bin === 'string' ? bin : (bin?.[short] ?? Object.values(bin ?? {})[0])
  return file === undefined ? null : file.replace(/^\.\//, '')
}
