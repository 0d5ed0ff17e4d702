// Packs all packages into tarballs, for projects that use them before their release: `npm run pack -- FOLDER`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { bundleStale } from './bundle-packages.mjs'
import { removeStaleOutput } from './remove-stale-output.mjs'

const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'packed'))
const script = (name) => join(root, 'scripts', name)

removeStaleOutput()
mkdirSync(folder, { recursive: true })
const isTarball = (name) => /^(create-)?toolwright-.*\.tgz$/.test(name)
for (const name of readdirSync(folder).filter(isTarball)) rmSync(join(folder, name))

// The steps of all `prepack` scripts, once for all packages instead of once for each.
const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name))
await step('Compiling the packages', () =>
  runNode(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', ...packages),
)
await step('Bundling what servers and the inspector load', async () => {
  await bundleStale()
  for (const name of ['bundle-inspector.mjs', 'bundle-cli.mjs']) runNode(script(name), '--if-stale')
})
await step(`Packing ${packages.length} packages`, () => {
  runNode(script('pack-samples.mjs'))
  try {
    const args = ['--recursive', '--filter', './packages/*', '--config.ignore-scripts=true', 'pack']
    run('npx', ['--yes', 'pnpm@10', ...args, '--pack-destination', folder])
  } finally {
    runNode(script('pack-samples.mjs'), '--remove')
  }
})

const tarballs = readdirSync(folder).filter(isTarball).toSorted()
const width = Math.max(...tarballs.map((name) => name.length))
const sizes = tarballs.map((name) => [name, Math.ceil(statSync(join(folder, name)).size / 1024)])
process.stdout.write(
  `\n${sizes.map(([name, size]) => `${name.padEnd(width)}  ${String(size).padStart(5)} kB`).join('\n')}\n`,
)
process.stdout.write(`\nPacked ${tarballs.length} packages into ${relative(process.cwd(), folder) || folder}\n`)

async function step(title, work) {
  process.stdout.write(`${title} …`)
  const start = performance.now()
  await work()
  process.stdout.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`)
}

function runNode(...args) {
  run(process.execPath, args)
}

/** Runs a program to its end. If it fails, prints its output and ends this process. */
function run(program, args) {
  const shell = process.platform === 'win32' && program === 'npx'
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', shell })
  if (status === 0) return
  process.stderr.write(`\n${stdout}${stderr}`)
  process.exit(1)
}
