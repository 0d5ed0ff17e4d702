// Compilers, runners and bundlers for one program. Each row names its npm packages, which are installed into a separate
// folder, and the expected output.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagesInstalledWith } from '../../scripts/installed-packages.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')

const served = 'object: {"sum":3,"at":14}'
const lost = 'lost-metadata'
const node = process.execPath
const bin = (name) => join(root, 'node_modules', ...name.split('/'))
const tsc = [node, bin('typescript/bin/tsc')]
const esbuild = [node, bin('esbuild/bin/esbuild')]
const banner =
  "--banner:js=import { createRequire as bundled } from 'node:module'; const require = bundled(import.meta.url)"
const bundleFor = (entry) => [
  ...esbuild,
  entry,
  '--bundle',
  '--platform=node',
  '--format=esm',
  '--outfile=out.mjs',
  banner,
]
const installed = (name) => join('tools', 'node_modules', ...name.split('/'))

const vitestTest = `
import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.js'
test('it is served', async () => {
  const outcome = await outcomeOf()
  console.log(outcome)
  expect(outcome).toBe('${served}')
})
`
const babelConfig = JSON.stringify({
  presets: ['@babel/preset-typescript'],
  plugins: ['babel-plugin-transform-typescript-metadata', ['@babel/plugin-proposal-decorators', { version: 'legacy' }]],
})

/** Replaces the tools of the program by tools with injected services from another copy of tsyringe. */
const foreignTools = `
import { McpTool, Model, Type } from '@toolwright/core'
import { singleton } from 'tsyringe'
@singleton()
export class Clock {}
export class SumInput extends Model(Type.Object({ a: Type.Number(), b: Type.Number() })) {}
export class SumTools {
  @McpTool()
  add(input: SumInput, clock: Clock): string {
    return String(clock)
  }
}
`

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {boolean} [isQuick] Whether it needs only this repository, and is run with the tests.
 * @property {string[]} [packages] Installed into `tools/`.
 * @property {Record<string, string>} [files] Written beside the program.
 * @property {string[][]} steps Commands. The last one prints the outcome.
 * @property {string} expected
 */

/** @type {Row[]} */
export const rows = [
  { name: 'tsc', isQuick: true, steps: [tsc, [node, 'dist/main.js']], expected: served },
  {
    name: '@oxc-node/core',
    isQuick: true,
    steps: [[node, '--import', '@oxc-node/core/register', 'main.ts']],
    expected: served,
  },
  { name: 'tsx', isQuick: true, steps: [[node, '--import', 'tsx', 'main.ts']], expected: lost },
  { name: 'esbuild', isQuick: true, steps: [bundleFor('main.ts'), [node, 'out.mjs']], expected: lost },
  {
    name: 'esbuild, from the output of tsc',
    isQuick: true,
    steps: [tsc, bundleFor('dist/main.js'), [node, 'out.mjs']],
    expected: served,
  },
  { name: 'Bun', packages: ['bun'], steps: [[installed('bun/bin/bun.exe'), 'main.ts']], expected: served },
  {
    name: 'Bun, from a bundle',
    packages: ['bun'],
    steps: [
      [installed('bun/bin/bun.exe'), 'build', '--target=bun', '--outfile=out.js', 'main.ts'],
      [installed('bun/bin/bun.exe'), 'out.js'],
    ],
    expected: served,
  },
  {
    name: 'Bun, compiled into a program',
    packages: ['bun'],
    steps: [[installed('bun/bin/bun.exe'), 'build', '--compile', '--outfile=out', 'main.ts'], ['./out']],
    expected: served,
  },
  ...['forks', 'vmThreads'].map((pool) => ({
    name: `Vitest 4 with Vite 8, ${pool}`,
    packages: ['vitest@4', 'vite@8'],
    files: { 'outcome.test.ts': vitestTest },
    steps: [[node, 'tools/node_modules/vitest/vitest.mjs', 'run', `--pool=${pool}`]],
    expected: served,
  })),
  {
    name: 'Babel with babel-plugin-transform-typescript-metadata',
    packages: [
      '@babel/core',
      '@babel/cli',
      '@babel/preset-typescript',
      '@babel/plugin-proposal-decorators',
      'babel-plugin-transform-typescript-metadata',
    ],
    files: { '.babelrc.json': babelConfig },
    steps: [
      [
        node,
        'tools/node_modules/@babel/cli/bin/babel.js',
        '.',
        '--only',
        './*.ts',
        '--extensions',
        '.ts',
        '-d',
        'dist',
      ],
      [node, 'dist/main.js'],
    ],
    expected: 'text (no output schema): undefined',
  },
  {
    name: 'tsc, with tsyringe 4.8 beside ours',
    packages: ['tsyringe@4.8.0'],
    files: { 'tools.ts': foreignTools },
    steps: [tsc, [node, 'dist/main.js']],
    expected: 'two-copies',
  },
  {
    name: 'webpack 5, from the output of tsc',
    packages: ['webpack@5', 'webpack-cli'],
    steps: [
      tsc,
      [
        node,
        'tools/node_modules/webpack/bin/webpack.js',
        '--mode=production',
        '--target=node',
        './dist/main.js',
        '-o',
        'out',
        '--output-filename',
        'main.cjs',
      ],
      [node, 'out/main.cjs'],
    ],
    expected: served,
  },
]

/** Runs a row in a separate folder. @returns {{ name: string, outcome: string, isRight: boolean, skipped: boolean }} */
export function runRow(row) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'compilers-')))
  try {
    const missing = prepare(folder, row)
    if (missing !== null) return { name: row.name, outcome: `skipped: ${missing}`, isRight: true, skipped: true }
    const outputs = row.steps.map(([command, ...args]) => run(command, args, folder))
    const outcome = findOutcome(outputs.at(-1) ?? '', row.expected)
    return { name: row.name, outcome, isRight: outcome === row.expected, skipped: false }
  } catch (error) {
    return {
      name: row.name,
      // A bundle is one line of a megabyte, which Node prints with the error.
      outcome: `failed: ${String(error.stderr ?? error.message).slice(-2_000)}`,
      isRight: false,
      skipped: false,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns {string | null} The reason for skipping the row. */
function prepare(folder, { packages = [], files = {} }) {
  cpSync(join(here, 'program'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "compiled", "private": true, "type": "module" }')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'node_modules', '@toolwright'), { recursive: true })
  for (const name of packagesInstalledWith('server')) {
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules', '@toolwright', name))
  }
  for (const name of ['tsx', '@oxc-node']) symlinkSync(bin(name), join(folder, 'node_modules', name))
  if (packages.length === 0) return null
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'package.json'), '{ "private": true }')
  try {
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], tools)
  } catch (error) {
    return `npm cannot install ${packages.join(' ')}: ${String(error.stderr ?? error.message).split('\n')[0]}`
  }
  return linkTools(folder, packages)
}

/** Programs import `vitest`, and Babel finds its plugins, from the folder of the program. */
function linkTools(folder, packages) {
  for (const versioned of packages) {
    const name = versioned.replace(/(?<=.)@.*$/, '')
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, 'tools', 'node_modules', name), link)
  }
  return null
}

function run(command, args, cwd) {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', JEST_WORKER_ID: undefined }
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The line of the program in the output of a runner. */
function findOutcome(stdout, expected) {
  const lines = stdout.split('\n').map((line) => line.trim())
  return lines.find((line) => line === expected) ?? stdout.trim()
}
