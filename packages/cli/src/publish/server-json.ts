import { usageError } from '../command-error.js'
import type { Manifest, Repository } from './manifest.js'
import { schemaUrl } from './server-schema.js'
import type { Variable } from './variables.js'

interface Input {
  readonly name: string
  readonly [member: string]: unknown
}

interface Package {
  readonly registryType?: string
  readonly version?: string
  readonly environmentVariables?: readonly Input[]
  readonly [member: string]: unknown
}

export interface Remote {
  readonly type: string
  readonly url: string
  readonly headers?: readonly Input[]
}

/** The members of `server.json` that this command sets. The file can contain others, which are left unchanged. */
export interface ServerJson {
  readonly name?: string
  readonly description?: string
  readonly version?: string
  readonly packages?: readonly Package[]
  readonly remotes?: readonly Remote[]
  readonly [member: string]: unknown
}

export interface PublishedBundle {
  readonly url: string
  readonly sha256: string
}

export interface Parts {
  readonly name: string
  readonly manifest: Manifest
  readonly repository: Repository | null
  readonly variables: readonly Variable[]
  readonly isOnNpm: boolean
  readonly bundle: PublishedBundle | null
  readonly remotes: readonly Remote[]
}

/** Members that {@link createServerJson} sets, in the order of the file. */
const ownMembers = [
  '$schema',
  'name',
  'title',
  'description',
  'version',
  'repository',
  'websiteUrl',
  'packages',
  'remotes',
]

/**
 * Creates `server.json`, or updates an existing one. Updates the members that come from `package.json`: the
 * version, the repository, the packages. Texts, remotes and variables that the file already has are kept.
 */
export function createServerJson(existing: ServerJson, parts: Parts): ServerJson {
  const { name, manifest, repository, bundle } = parts
  const packages = [
    ...(parts.isOnNpm ? [npmPackage(existing, parts)] : []),
    ...(bundle === null ? existingPackages(existing, ['mcpb']) : [bundlePackage(existing, parts, bundle)]),
    ...(existing.packages ?? []).filter(({ registryType }) => registryType !== 'npm' && registryType !== 'mcpb'),
  ]
  const remotes = [
    ...(existing.remotes ?? []).filter(({ url }) => !parts.remotes.some((remote) => remote.url === url)),
    ...parts.remotes,
  ]
  return withoutUndefined({
    $schema: schemaUrl,
    name,
    title: existing['title'],
    description: existing.description ?? manifest.description,
    version: manifest.version,
    repository: repository ?? undefined,
    websiteUrl: existing['websiteUrl'] ?? manifest.homepage,
    packages: packages.length === 0 ? undefined : packages,
    remotes: remotes.length === 0 ? undefined : remotes,
    ...without(existing, ownMembers),
  })
}

function npmPackage(existing: ServerJson, { manifest, variables }: Parts): Package {
  const [before = {}] = existingPackages(existing, ['npm'])
  return withoutUndefined({
    registryType: 'npm',
    identifier: manifest.name,
    version: manifest.version,
    transport: { type: 'stdio' },
    packageArguments: [{ type: 'positional', value: '--stdio' }],
    ...without(before, ['registryType', 'identifier', 'version', 'transport']),
    environmentVariables: describeVariables(before, variables),
  })
}

function bundlePackage(
  existing: ServerJson,
  { manifest, variables }: Parts,
  { url, sha256 }: PublishedBundle,
): Package {
  const [before = {}] = existingPackages(existing, ['mcpb'])
  return withoutUndefined({
    registryType: 'mcpb',
    identifier: url,
    version: manifest.version,
    fileSha256: sha256,
    transport: { type: 'stdio' },
    ...without(before, ['registryType', 'identifier', 'version', 'fileSha256', 'transport']),
    environmentVariables: describeVariables(before, variables),
  })
}

function existingPackages({ packages = [] }: ServerJson, types: readonly string[]): readonly Package[] {
  return packages.filter(({ registryType = '' }) => types.includes(registryType))
}

function describeVariables(before: Package, variables: readonly Variable[]): readonly Input[] | undefined {
  const own = variables.map(({ name, description, isRequired, isSecret }) => ({
    name,
    description,
    isRequired,
    isSecret,
    ...before.environmentVariables?.find((existing) => existing.name === name),
  }))
  const others = (before.environmentVariables ?? []).filter(({ name }) => !own.some((each) => each.name === name))
  const all = [...own, ...others]
  return all.length === 0 ? undefined : all
}

/**
 * Reads `--remote` and `--header`. A header without a value is asked for; `{name}` in a value is a part that is asked for.
 *
 * @throws CommandError
 */
export function readRemotes(urls: readonly string[], headerLines: readonly string[]): readonly Remote[] {
  if (urls.length === 0 && headerLines.length > 0) throw usageError('--header needs the URL: --remote URL.')
  const headers = headerLines.map(readHeader)
  return urls.map((url) => ({ type: 'streamable-http', url, ...(headers.length === 0 ? {} : { headers }) }))
}

function readHeader(line: string): Input {
  const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+)(?::[ \t]*([^\r\n]*?)[ \t]*)?$/.exec(line) ?? []
  // The line may be a key without a name, so the message does not quote it.
  if (name === undefined) throw usageError("A --header has no name. Give --header NAME or 'NAME: Bearer {token}'.")
  const secret = { isRequired: true, isSecret: true }
  if (value === '') return { name, ...secret }
  const parts = [...value.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => [part, secret] as const)
  if (parts.length === 0) throw usageError(`--header '${name}' has a value, which would be public. Give only the name.`)
  return { name, value, ...secret, variables: Object.fromEntries(parts) }
}

function without(value: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value
}
