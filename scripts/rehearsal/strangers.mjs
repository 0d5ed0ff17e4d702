import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNewerNodes } from '../../test/newer-node/newer-node.mjs'
import { readUrl, run, start, stop, withPrograms } from './run.mjs'

/**
 * Yarn looks for the optional binaries of all systems, and fails if the registry lacks one: mirrors of npm may have those
 * of one system only.
 */
const lacksPackage = /No candidates found|Couldn't find any versions for/
const isForeignBinary = /-(darwin|win32|android|freebsd|openharmony|linux-(arm|ppc64|riscv64|s390x))/
const skipped = '   skipped: the registry lacks binaries of other systems'

/** Package managers, and the commands that their documentation shows. */
const managers = {
  npm: { packages: [], create: ['create', '--yes', 'toolwright@latest'], separator: ['--'] },
  pnpm: { packages: ['pnpm@12'], create: ['create', 'toolwright@latest'], separator: [] },
  'yarn 1': { packages: ['yarn@1'], create: ['create', 'toolwright'], separator: [] },
  'yarn 4': { packages: ['@yarnpkg/cli-dist@4'], create: ['dlx', 'create-toolwright@latest'], separator: [] },
}

/** Test runs of a project with Jest, because faults at the end of a test file are random. */
const rounds = 20

/** Creates each stranger, who has a package manager, a version of Node, a version of TypeScript and a test runner. */
export function findStrangers(folder, environment) {
  const current = process.execPath
  const [newer] = findNewerNodes()
  return [
    new Stranger(folder, environment, { manager: 'npm', node: current }),
    new Stranger(folder, environment, { manager: 'npm', node: current, typescript: '5.4' }),
    new Stranger(folder, environment, { manager: 'npm', node: current, runner: 'vitest' }),
    new Stranger(folder, environment, { manager: 'npm', node: current, runner: 'jest' }),
    new Stranger(folder, environment, { manager: 'pnpm', node: current }),
    new Stranger(folder, environment, { manager: 'yarn 1', node: current }),
    new Stranger(folder, environment, { manager: 'yarn 4', node: current }),
    new Stranger(folder, environment, { manager: 'npm', node: newer }),
  ]
}

class Stranger {
  #folder
  #environment
  #choice

  constructor(folder, environment, choice) {
    this.#choice = choice
    this.#environment = environment
    const version = spawnSync(choice.node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
    const typescript = choice.typescript === undefined ? '' : `, TypeScript ${choice.typescript}`
    const runner = choice.runner === undefined ? '' : `, ${choice.runner}`
    this.name = `${choice.manager}, Node ${version}${typescript}${runner}`
    this.#folder = join(folder, this.name.replaceAll(/\W+/g, '-'))
  }

  /** Folder of the project. */
  get project() {
    return join(this.#folder, 'my-server')
  }

  /** Creates a project, installs and tests it, and calls its tool in development. */
  async visit() {
    const cells = []
    const timed = async (step) => {
      const before = performance.now()
      const result = await step()
      cells.push(`${((performance.now() - before) / 1000).toFixed(1)} s`)
      return result
    }
    try {
      const { create, separator } = managers[this.#choice.manager]
      const [program] = this.#choice.manager.split(' ')
      const env = await this.#prepare()
      const { runner } = this.#choice
      const test = runner === undefined ? [] : ['--test', runner]
      const flags = [...separator, '--yes', '--no-install', '--no-git', ...test]
      await timed(() => run(program, [...create, 'my-server', ...flags], { cwd: this.#folder, env }))
      const cwd = this.project
      this.#chooseTypeScript(cwd)
      await timed(() => run(program, ['install'], { cwd, env }))
      await timed(() => run(program, ['test'], { cwd, env }))
      if (runner !== undefined) await testAgain(program, cwd, env, runner === 'jest' ? rounds : 1)
      const dev = start(program, ['run', 'dev'], { cwd, env: { ...env, PORT: '0' } })
      try {
        const url = await timed(() => readUrl(dev, /MCP +(http:\S+)/))
        await timed(() => callTool(url))
      } finally {
        await stop(dev)
      }
      return { name: this.name, cells, problems: [] }
    } catch (error) {
      const { message } = error
      const isSkipped = message.split('\n').some((line) => lacksPackage.test(line) && isForeignBinary.test(line))
      if (isSkipped) return { name: this.name, cells: [...cells, skipped], problems: [] }
      return { name: this.name, cells, problems: [message] }
    }
  }

  /** Installs the package manager, and puts it and Node before those of this machine. */
  async #prepare() {
    const bin = join(this.#folder, 'bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync(this.#choice.node, join(bin, process.platform === 'win32' ? 'node.exe' : 'node'))
    const env = withPrograms(this.#environment, [bin])
    const { packages } = managers[this.#choice.manager]
    if (packages.length === 0) return env
    const tools = join(this.#folder, 'tools')
    mkdirSync(tools)
    await run('npm', ['install', '--prefix', tools, ...packages], { cwd: tools, env })
    return withPrograms(this.#environment, [bin, join(tools, 'node_modules', '.bin')])
  }

  #chooseTypeScript(cwd) {
    const { typescript } = this.#choice
    if (typescript === undefined) return
    const file = join(cwd, 'package.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.devDependencies.typescript = `~${typescript}.0`
    writeFileSync(file, JSON.stringify(manifest, null, 2))
  }
}

/** Builds, which leaves compiled copies of the tests, and runs three test files several times. */
async function testAgain(program, cwd, env, times) {
  await run(program, ['run', 'build'], { cwd, env })
  const file = join(cwd, 'src', 'tools', 'word-tools.test.ts')
  for (const name of ['second', 'third']) copyFileSync(file, file.replace('word-tools', name))
  for (let round = 1; round <= times; round++) {
    await run(program, ['test'], { cwd, env }).catch((error) => {
      throw new Error(`test run ${round} of ${times}: ${error.message}`)
    })
  }
}

async function callTool(url) {
  const params = { name: 'count_words', arguments: { text: 'to be or not to be' } }
  const response = await fetch(url, {
    method: 'POST',
    signal: AbortSignal.timeout(30_000),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = await response.json()
  if (!String(result?.content?.[0]?.text).includes('"words":6'))
    throw new Error(`the tool returned ${JSON.stringify(result)}`)
}
