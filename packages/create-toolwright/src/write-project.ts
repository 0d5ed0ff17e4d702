import { randomBytes } from 'node:crypto'
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CommandError } from './command-error.js'
import { createManifest, listOverrides, type Manifest } from './manifest.js'
import { skill, templates } from './own-package.js'
import { imageSteps, type PackageManager, programCommand, scriptCommand } from './package-managers.js'
import { packageName } from './package-name.js'
import { agentSkill, rewritePaths, rewriteReadme } from './sample-text.js'
import { minimal, type Starter } from './starters.js'
import { type Tarballs, vendorFolder } from './tarballs.js'
import { rewriteTest, rewriteTypes, runners, type TestRunner } from './test-runners.js'

/** Allowed in the folder of a new project: files of a new repository, of editors and of file managers. They stay unchanged. */
const allowedNames =
  /^(\.git|\.github|\.gitattributes|\.gitignore|\.vscode|\.idea|\.DS_Store|(LICENSE|README)(\.\w+)?)$/i

/** Files of a sample that are not copied: the project has its own, or only the clone needs them. */
const ownFiles = [
  'package.json',
  'tsconfig.json',
  'README.md',
  'Dockerfile',
  '.env.example',
  'test',
  'dist',
  'node_modules',
]

/**
 * Files of all projects, by their names in this package. The names differ, because npm does not pack a `.gitignore`.
 */
const sharedFiles: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
  'env.example': '.env.example',
  'AGENTS.md': 'AGENTS.md',
  Dockerfile: 'Dockerfile',
  'README.md': 'README.md',
}

export interface ProjectOptions {
  readonly folder: string
  readonly starter: Starter
  readonly packageManager: PackageManager
  readonly testRunner: TestRunner
  readonly tarballs: Tarballs | null
}

export interface Project {
  readonly name: string
  readonly path: string
  /** Versions of Node that the project supports, such as `>=20.19`. */
  readonly node: string
  /** Paths of the project's files, relative to its folder, without tarballs. */
  readonly files: readonly string[]
}

/** Characters of a path that loaders of TypeScript treat as parts of a URL. */
const unusable = process.platform === 'win32' ? /[#%]/ : /[#?%\\]/

/** @throws CommandError if the folder already has files of a project, cannot be read, or its path cannot be used. */
export function checkFolder(folder: string): void {
  const character = unusable.exec(resolve(folder))?.[0]
  if (character !== undefined) {
    throw new CommandError(
      `The path ${resolve(folder)} contains '${character}', which loaders of modules treat as a part of a URL. Choose another folder.`,
    )
  }
  const found = attempt(`${folder} cannot be used`, () => findFolder(resolve(folder)))
  if (typeof found === 'string') throw new CommandError(`${folder} is ${found}. Choose a new folder.`)
  const first = found.find((name) => !allowedNames.test(name))
  if (first === undefined) return
  throw new CommandError(`${folder} is not empty (found ${first}). Choose a new or empty folder.`)
}

/** @returns Names of the files in the folder, or a description of something that is not a folder. */
function findFolder(path: string): readonly string[] | string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return isLink ? 'a link, and its target does not exist' : []
  return stats.isDirectory() ? readdirSync(path) : 'a file'
}

function attempt<Result>(problem: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw new CommandError(`${problem}: ${(error as Error).message}`)
  }
}

/**
 * Writes a project into a folder. Keeps a README that is already there, and adds lines to a `.gitignore`.
 *
 * @throws CommandError if the folder is not empty. In that case, nothing is written.
 */
export function writeProject(options: ProjectOptions): Project {
  checkFolder(options.folder)
  const path = resolve(options.folder)
  const name = packageName(path)
  const { starter, packageManager, testRunner, tarballs } = options
  attempt(`${options.folder} cannot be created`, () => mkdirSync(path, { recursive: true }))
  const present = new Set(readdirSync(path).map((file) => file.toLowerCase()))
  const files: string[] = []
  const write = (file: string, content: string | Uint8Array): void => {
    files.push(file)
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), content)
  }

  const source = readJson<Manifest>(join(starter.folder, 'package.json'))
  const { devDependencies: tools = {} } = readJson<Manifest>(join(minimal.folder, 'package.json'))
  const manifest = createManifest(source, tools, { name, packageManager, testRunner, tarballs })
  write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  write('tsconfig.json', rewriteTypes(read(join(minimal.folder, 'tsconfig.json')), testRunner))
  const { files: runnerFiles } = runners[testRunner]
  if (runnerFiles !== null) for (const file of listFiles(runnerFiles)) write(file, read(join(runnerFiles, file)))
  for (const file of listFiles(starter.folder, ownFiles)) {
    const bytes = readFileSync(join(starter.folder, file))
    write(file, bytes.includes(0) ? bytes : rewriteTest(rewritePaths(bytes.toString(), starter.name), testRunner))
  }
  const texts = describe(name, options)
  for (const [template, file] of Object.entries(sharedFiles)) {
    const text = fill(read(join(templates, 'shared', template)), texts)
    if (file === '.gitignore') write(file, addLines(readIfPresent(join(path, file)), text))
    else if (!present.has(file.toLowerCase())) write(file, text)
  }
  for (const [file, text] of Object.entries(agentSkill(read(skill)))) write(file, text)
  // The copy prevents a message that Node prints at each start without `.env`.
  write('.env', addKeys(read(join(path, '.env.example'))))
  if (tarballs !== null) {
    copyTarballs(path, tarballs)
    if (packageManager === 'pnpm') write('pnpm-workspace.yaml', describeWorkspace(tarballs))
  }
  if (packageManager === 'yarn')
    write('.yarnrc.yml', '# TypeScript cannot read the archives of Plug’n’Play.\nnodeLinker: node-modules\n')
  const { node } = manifest.engines
  return { name, path, node, files: files.toSorted() }
}

/** Fills empty variables such as `WRITER_KEY=` with random keys, so that no project begins with a known key. */
function addKeys(settings: string): string {
  return settings.replaceAll(/^\w+_KEY=$/gm, (line) => `${line}${randomBytes(24).toString('base64url')}`)
}

function addLines(text: string, lines: string): string {
  const known = new Set(['', ...text.split(/\r?\n/)])
  const missing = lines.split('\n').filter((line) => !known.has(line))
  return `${[text.trimEnd(), ...missing].join('\n').trimStart()}\n`
}

/** Returns the texts that replace placeholders in the shared files: `{{test}}` becomes `npm test`. */
function describe(
  name: string,
  { starter, packageManager, testRunner, tarballs }: ProjectOptions,
): Readonly<Record<string, string>> {
  const { setUp, files, prune } = imageSteps[packageManager]
  const readme =
    starter.name === minimal.name
      ? { introduction: starter.description, rest: '' }
      : rewriteReadme(read(join(starter.folder, 'README.md')), starter.name)
  const dockerfile = readIfPresent(join(starter.folder, 'Dockerfile'))
  const folders = readdirSync(starter.folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ownFiles.includes(entry.name) && entry.name !== 'src')
    .map((entry) => `COPY --from=build /app/${entry.name} ./${entry.name}\n`)
  const settings = readIfPresent(join(starter.folder, '.env.example'))
  return {
    name,
    description: readme.introduction,
    details: readme.rest,
    settings: settings === '' ? '' : `\n${settings.trimEnd()}`,
    node: imageVersion(),
    install: `${packageManager} install`,
    setUp,
    lockFiles: files,
    vendor: tarballs === null ? '' : `COPY ${vendorFolder} ./${vendorFolder}\n`,
    folders: folders.join(''),
    image: readImage(dockerfile),
    prune,
    testPurpose: runners[testRunner].purpose,
    runsTests: runners[testRunner].does,
    testRunner: runners[testRunner].title,
    toolwright: programCommand(packageManager, 'toolwright'),
    ...Object.fromEntries(
      ['dev', 'build', 'start', 'test'].map((script) => [script, scriptCommand(packageManager, script)]),
    ),
  }
}

/** Reads the last stage of a sample's Dockerfile: the variables and folders that only this sample needs. */
function readImage(dockerfile: string): string {
  const [last = ''] = dockerfile.split(/^FROM /m).slice(-1)
  const own = last
    .split('\n')
    .filter((line) => /^(ENV|RUN|VOLUME) /.test(line))
    .map((line) => line.replaceAll(/ (?:NODE_ENV|HOST|PORT)=\S+/g, ''))
    .filter((line) => line !== 'ENV')
  return own.map((line) => `${line}\n`).join('')
}

/**
 * Returns the major version of Node for the image: an even version, at most the version of this process, but at least
 * 24.
 */
function imageVersion(): string {
  const major = Number.parseInt(process.versions.node, 10)
  return String(Math.max(24, major - (major % 2)))
}

function fill(template: string, texts: Readonly<Record<string, string>>): string {
  const text = template.replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => {
    const value = texts[key]
    if (value === undefined) throw new Error(`no text for {{${key}}}`)
    return value
  })
  return `${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`
}

function copyTarballs(path: string, tarballs: Tarballs): void {
  mkdirSync(join(path, vendorFolder), { recursive: true })
  for (const file of tarballs.values()) copyFileSync(file, join(path, vendorFolder, basename(file)))
}

function describeWorkspace(tarballs: Tarballs): string {
  const lines = listOverrides(tarballs).map(([name, range]) => `  '${name}': ${range}`)
  return ['overrides:', ...lines, ''].join('\n')
}

/**
 * Lists the files of a folder, except for some names at its top. The option `recursive` is not used, because it omits
 * the parent folders of files in archives of Yarn.
 */
function listFiles(folder: string, except: readonly string[] = []): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !except.includes(name))
    .flatMap((entry) => {
      if (entry.isDirectory()) return listFiles(join(folder, entry.name)).map((file) => join(entry.name, file))
      return entry.isFile() ? [entry.name] : []
    })
    .toSorted()
}

function readIfPresent(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? '' : read(file)
}

function read(file: string): string {
  return readFileSync(file, 'utf8')
}

function readJson<Content>(file: string): Content {
  return JSON.parse(read(file)) as Content
}
