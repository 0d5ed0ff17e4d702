// Serves one small server in each of the other frameworks and in Toolwright, and compares what an official client sees.
// Installs the frameworks from npm into an empty folder: `npm run compare-migrations`, or some of them: `-- xmcp`.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readAnswers } from './answers.mjs'
import { rows } from './rows.mjs'

const here = import.meta.dirname
const snippets = join(here, '..', '..', 'docs', 'snippets', 'dist')
const wanted = process.argv[2] ?? ''
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
}

const ours = await readAnswers({ cwd: snippets, args: ['migrated.js', '--stdio'] })
for (const row of rows.filter(({ name }) => name.includes(wanted))) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'migrations-')))
  try {
    const theirs = await readAnswers({ cwd: prepare(folder, row), args: row.args })
    report(row, theirs)
  } catch (error) {
    process.exitCode = 1
    process.stdout.write(`${row.name}: ${error.message}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function prepare(folder, { folder: source, packages, build }) {
  cpSync(join(here, 'before', source), folder, { recursive: true })
  const manifest = { name: 'units', private: true, type: 'module', dependencies: packages }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify(build === undefined ? manifest : { ...manifest, type: undefined }),
  )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  run('npm', ['install', '--no-audit', '--no-fund'], folder)
  if (build !== undefined) run(join(folder, 'node_modules', '.bin', build[0]), build.slice(1), folder)
  return folder
}

function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
}

function report({ name, packages }, theirs) {
  const [[main, version]] = Object.entries(packages)
  const different = Object.keys(ours).filter((key) => !isDeepStrictEqual(ours[key], theirs[key]))
  process.stdout.write(`${name} (${main} ${version}): ${different.length === 0 ? 'the same' : 'differs'}\n`)
  for (const key of different) {
    process.stdout.write(`  ${key}: ${JSON.stringify(theirs[key])}\n`)
    process.stdout.write(`  ${' '.repeat(key.length)}  here ${JSON.stringify(ours[key])}\n`)
  }
}
