import { intro, log, outro } from '@clack/prompts'
import { defineCommand } from 'citty'
import { askFolder, askGit, askPackageManager, askStarter } from './ask.js'
import { checkArguments } from './check-arguments.js'
import { CommandError, reportErrors, usageError } from './command-error.js'
import { createRepository, isInRepository } from './git.js'
import { installDependencies } from './install.js'
import { version } from './own-package.js'
import type { PackageManager } from './package-managers.js'
import {
  findPackageManager,
  isInstalled,
  isPackageManager,
  packageManagers,
  scriptCommand,
} from './package-managers.js'
import { quote } from './quote.js'
import { listStarters, minimal, type Starter } from './starters.js'
import { findTarballs } from './tarballs.js'
import { isTestRunner, runners, type TestRunner, testRunners } from './test-runners.js'
import { checkFolder, type Project, writeProject } from './write-project.js'

const definitions = {
  folder: { type: 'positional', description: 'Folder of the project, which must be new or empty', required: false },
  from: {
    type: 'string',
    valueHint: 'SAMPLE',
    description: 'Begin with this sample; --list shows all (Default: minimal)',
  },
  'package-manager': {
    type: 'string',
    valueHint: packageManagers.join('|'),
    description: 'Package manager (Default: the one that runs this command, or npm)',
  },
  test: { type: 'string', valueHint: testRunners.join('|'), description: 'Test runner (Default: node)' },
  install: {
    type: 'boolean',
    description: 'Install the dependencies (Default: true)',
    negativeDescription: 'Do not install the dependencies',
  },
  git: {
    type: 'boolean',
    description: 'Create a git repository (Default: true, unless the folder is inside of one)',
    negativeDescription: 'Do not create a git repository',
  },
  tarballs: {
    type: 'string',
    valueHint: 'FOLDER',
    description: 'Folder with packed packages of Toolwright, to use instead of those on npm',
  },
  yes: { type: 'boolean', alias: 'y', description: 'Ask nothing, and use the defaults' },
  list: { type: 'boolean', description: 'List the samples, and create nothing' },
  json: { type: 'boolean', description: 'Print JSON, and ask nothing' },
} as const

interface Flags {
  readonly folder?: string | undefined
  readonly from?: string | undefined
  readonly 'package-manager'?: string | undefined
  readonly test?: string | undefined
  readonly install?: boolean | undefined
  readonly git?: boolean | undefined
  readonly tarballs?: string | undefined
  readonly yes?: boolean | undefined
  readonly list?: boolean | undefined
  readonly json?: boolean | undefined
}

interface Choices {
  readonly folder: string
  readonly starter: Starter
  readonly packageManager: PackageManager
  readonly testRunner: TestRunner
  readonly install: boolean
  readonly git: boolean
}

/** The command `toolwright new`, which `npm create toolwright` also runs. */
export const newProject = defineCommand({
  meta: { name: 'new', version, description: 'Create a project: a server with one tool, or a sample' },
  args: definitions,
  run({ args, rawArgs }) {
    return reportErrors(async () => {
      checkArguments(definitions, rawArgs, args)
      await (args.list === true ? printStarters(args) : create(args))
    })
  },
})

async function printStarters({ json }: Flags): Promise<void> {
  const starters = listStarters().map(({ name, description }) => ({ name, description }))
  const width = Math.max(...starters.map(({ name }) => name.length))
  const lines = starters.map(({ name, description }) => `${name.padEnd(width)}  ${description}`)
  process.stdout.write(json === true ? `${JSON.stringify(starters, null, 2)}\n` : `${lines.join('\n')}\n`)
}

async function create(flags: Flags): Promise<void> {
  const asks = process.stdin.isTTY && process.stdout.isTTY && flags.yes !== true && flags.json !== true
  const isDrawn = process.stdout.isTTY && flags.json !== true
  // All mistakes in the flags are reported before the first prompt.
  const given = await checkFlags(flags)
  const tarballs = findTarballs(flags.tarballs)
  if (isDrawn) intro('A new MCP server')
  const { folder, starter, packageManager, testRunner, install, git } = asks
    ? await ask(flags, given)
    : choose(flags, given)
  if (install && !isInstalled(packageManager)) {
    throw new CommandError(`${packageManager} is not installed. Install it, or choose another with --package-manager.`)
  }
  const project = writeProject({ folder, starter, packageManager, testRunner, tarballs })
  const hasRepository = git && createRepository(project.path)
  const summary = { folder, starter, packageManager, testRunner, install }
  if (flags.json !== true) printFiles(project, summary, isDrawn)
  if (install) await installDependencies(project.path, packageManager, progressOf(flags, isDrawn))
  const next = listNextSteps(summary)
  warnAboutNode(project, isDrawn)
  if (flags.json === true) return printJson(project, { ...summary, git: hasRepository, next })
  if (isDrawn) {
    log.step(`Next:\n${alignSteps(next)}`)
    outro(`${project.name} is ready`)
  } else process.stdout.write(`\nNext:\n${alignSteps(next)}\n`)
}

interface Given {
  readonly starters: readonly Starter[]
  readonly starter: Starter | undefined
  readonly packageManager: PackageManager
  readonly testRunner: TestRunner
}

async function checkFlags({ folder, from, 'package-manager': manager, test = 'node' }: Flags): Promise<Given> {
  if (folder === '') throw usageError('Missing argument: FOLDER.')
  if (folder !== undefined) checkFolder(folder)
  if (manager !== undefined && !isPackageManager(manager)) {
    throw usageError(`Unknown package manager '${manager}'. Use ${packageManagers.join(', ')}.`)
  }
  if (!isTestRunner(test)) throw usageError(`Unknown test runner '${test}'. Use ${testRunners.join(', ')}.`)
  const starters = listStarters()
  const starter = starters.find(({ name }) => name === from)
  if (from !== undefined && starter === undefined) {
    throw usageError(`Unknown sample '${from}'. Use one of: ${starters.map(({ name }) => name).join(', ')}.`)
  }
  return { starters, starter, testRunner: test, packageManager: manager ?? (await findPackageManager(folder ?? '.')) }
}

function choose(
  { folder, install = true, git }: Flags,
  { starter = minimal, packageManager, testRunner }: Given,
): Choices {
  if (folder === undefined)
    throw usageError('Missing argument: FOLDER. Example: npm create toolwright@latest my-server')
  return { folder, starter, packageManager, testRunner, install, git: git ?? !isInRepository(folder) }
}

async function ask(flags: Flags, given: Given): Promise<Choices> {
  const folder = flags.folder ?? (await askFolder())
  const starter = given.starter ?? (await askStarter(given.starters))
  const isDecided = flags.install !== undefined || flags['package-manager'] !== undefined
  const manager = isDecided ? given.packageManager : await askPackageManager(given.packageManager)
  const git = flags.git ?? (await askGit(folder))
  const install = flags.install ?? manager !== null
  const { testRunner } = given
  return { folder, starter, packageManager: manager ?? given.packageManager, testRunner, install, git }
}

function warnAboutNode({ node }: Project, isDrawn: boolean): void {
  if (isSupportedNode(node)) return
  const problem = `The project needs Node ${node}, and this is ${process.versions.node}.`
  if (isDrawn) log.warn(problem)
  else process.stderr.write(`${problem}\n`)
}

function isSupportedNode(range: string): boolean {
  const [major = 0, minor = 0] = range.replace(/^>=/, '').split('.').map(Number)
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

function progressOf({ json }: Flags, isDrawn: boolean): 'drawn' | 'plain' | 'silent' {
  if (json === true) return 'silent'
  return isDrawn ? 'drawn' : 'plain'
}

type Summary = Omit<Choices, 'git'>

type Step = readonly [command: string, purpose: string]

function listNextSteps({ folder, packageManager, testRunner, install }: Summary): readonly Step[] {
  return [
    ...(folder === '.' ? [] : [[`cd ${quote(folder)}`, ''] as const]),
    ...(install ? [] : [[`${packageManager} install`, ''] as const]),
    [scriptCommand(packageManager, 'dev'), 'start the server, and reload it when a file is saved'],
    [scriptCommand(packageManager, 'test'), runners[testRunner].purpose],
  ]
}

function alignSteps(steps: readonly Step[]): string {
  const width = Math.max(...steps.filter(([, purpose]) => purpose !== '').map(([command]) => command.length))
  return steps.map(([command, purpose]) => `  ${command.padEnd(width)}    ${purpose}`.trimEnd()).join('\n')
}

function printFiles({ files }: Project, { folder, starter }: Summary, isDrawn: boolean): void {
  const kind = starter.name === minimal.name ? 'a server with one tool, count_words' : `the sample ${starter.name}`
  const text = [`Created ${kind}, in ${folder}:`, ...files.map((file) => `  ${file}`)].join('\n')
  if (isDrawn) log.success(text)
  else process.stdout.write(`${text}\n`)
}

function printJson(
  { name, path, files }: Project,
  {
    starter,
    packageManager,
    testRunner,
    install,
    git,
    next,
  }: Summary & { readonly git: boolean; readonly next: readonly Step[] },
): void {
  const commands = next.map(([command]) => command)
  const result = {
    name,
    path,
    from: starter.name,
    packageManager,
    test: testRunner,
    installed: install,
    git,
    files,
    next: commands,
  }
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
