import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from '../command-error.js'
import { type Started, startOnce } from '../install/try-server.js'
import { findUp } from '../tsconfig.js'
import { copyPackages } from './copy-packages.js'
import { type Manifest, type Repository, readJson } from './manifest.js'
import { readValues, type Variable } from './variables.js'

export interface BundleSource {
  readonly folder: string
  readonly manifest: Manifest
  readonly repository: Repository | null
  /** Files of the project, relative to its folder. */
  readonly files: readonly string[]
  /** The built program, relative to the folder. */
  readonly entry: string
  readonly variables: readonly Variable[]
  /** Whether to start the server from the bundle before it is packed. */
  readonly starts: boolean
}

export function bundleName({ name = '', version = '' }: Manifest): string {
  return `${name.replace(/^@/, '').replaceAll('/', '-')}-${version}.mcpb`
}

/**
 * Packs the files and packages of a project into one file that desktop clients install.
 *
 * @returns The SHA-256 of the file.
 * @throws CommandError if the packer is not installed, or if the server does not start from the bundle.
 */
export async function packBundle(source: BundleSource): Promise<string> {
  const { folder, files, manifest } = source
  const packer = findPacker(folder)
  const stage = mkdtempSync(join(tmpdir(), 'toolwright-bundle-'))
  try {
    for (const file of files) cpSync(join(folder, file), join(stage, file), { dereference: true })
    copyPackages(folder, stage)
    const started = source.starts ? await start(source, stage) : null
    writeFileSync(join(stage, 'manifest.json'), JSON.stringify(createBundleManifest(source, stage, started), null, 2))
    const file = join(folder, bundleName(manifest))
    await run(packer, ['pack', stage, file])
    return createHash('sha256').update(readFileSync(file)).digest('hex')
  } finally {
    rmSync(stage, { recursive: true })
  }
}

/** Finds the program of the packer. The command line interface does not install it, because few projects need it. */
function findPacker(folder: string): string {
  for (const from of [join(folder, 'package.json'), import.meta.url]) {
    try {
      const manifest = findUp(dirname(createRequire(from).resolve('@anthropic-ai/mcpb')), 'package.json') ?? ''
      const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: string | Record<string, string> }
      const [program = ''] = typeof bin === 'string' ? [bin] : Object.values(bin)
      return join(dirname(manifest), program)
    } catch {
      // The package may be installed at the other place.
    }
  }
  throw new CommandError(
    "'@anthropic-ai/mcpb', which packs bundles, is not installed. Run: npm install --save-dev @anthropic-ai/mcpb",
  )
}

async function run(program: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [program, ...args], { maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new CommandError(`The bundle cannot be packed: ${(stderr || stdout || (error as Error).message).trim()}`)
  }
}

async function start({ folder, entry, variables }: BundleSource, stage: string): Promise<Started> {
  const env = readValues(folder, variables)
  const missing = variables.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(env, name))
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new CommandError(`The server needs ${names} to start. Set them in .env, or add --no-start.`)
  }
  try {
    return await startOnce({ command: process.execPath, args: [join(stage, entry), '--stdio'], env })
  } catch (error) {
    const advice = 'Add the missing files to `files`, and packages to `dependencies`; or add --no-start.'
    throw new CommandError(`The server does not start from the bundle: ${(error as Error).message}\n\n${advice}`)
  }
}

/** Creates `manifest.json` of the bundle. Members of a `manifest.json` in the project take precedence. */
function createBundleManifest(source: BundleSource, stage: string, started: Started | null): object {
  const { manifest, repository, entry, variables } = source
  const { name = '', version, description, homepage, license, keywords, engines } = manifest
  const userConfig = variables.map((variable) => [keyOf(variable), describeInput(variable)] as const)
  return {
    manifest_version: '0.3',
    name: name.replace(/^@/, '').replaceAll('/', '-'),
    description,
    author: readAuthor(manifest),
    ...(repository === null ? {} : { repository: { type: 'git', url: repository.url } }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(license === undefined ? {} : { license }),
    ...(keywords === undefined ? {} : { keywords }),
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`, '--stdio'],
        env: Object.fromEntries(
          variables.map((variable) => [variable.name, `\${user_config.${keyOf(variable)}}`] as const),
        ),
      },
    },
    ...(started === null ? {} : { tools: started.tools.map(describeTool) }),
    ...(userConfig.length === 0 ? {} : { user_config: Object.fromEntries(userConfig) }),
    compatibility: {
      // Compiled code runs only on the system that it was compiled for.
      ...(hasNativeCode(stage) ? { platforms: [process.platform] } : {}),
      runtimes: { node: engines?.node ?? '>=20.19' },
    },
    ...readJson(join(source.folder, 'manifest.json')),
    version,
  }
}

function keyOf({ name }: Variable): string {
  return name.toLowerCase()
}

function describeInput({ name, description, isRequired, isSecret }: Variable): object {
  const input = { type: 'string', title: name, description, required: isRequired, sensitive: isSecret }
  // Without a default, some clients pass the placeholder itself as the value.
  return isRequired ? input : { ...input, default: '' }
}

function describeTool({ name, description }: Started['tools'][number]): object {
  return { name, ...(description === undefined ? {} : { description }) }
}

function readAuthor({ author = '' }: Manifest): object {
  if (typeof author === 'object') return author
  const [, name = '', email, url] = /^([^<(]*?)\s*(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?$/.exec(author) ?? []
  return { name, ...(email === undefined ? {} : { email }), ...(url === undefined ? {} : { url }) }
}

function hasNativeCode(stage: string): boolean {
  return readdirSync(stage, { recursive: true, encoding: 'utf8' }).some((path) => path.endsWith('.node'))
}
