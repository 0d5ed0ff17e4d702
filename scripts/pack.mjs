// Packs all packages into tarballs, for projects that use them before their release: `npm run pack -- FOLDER`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { removeStaleOutput } from './remove-stale-output.mjs'

const root = join(import.meta.dirname, '..')
const folder = resolve(process.argv[2] ?? join(root, 'packed'))

removeStaleOutput()
mkdirSync(folder, { recursive: true })
const isTarball = (name) => /^(create-)?toolwright-.*\.tgz$/.test(name)
for (const name of readdirSync(folder).filter(isTarball)) rmSync(join(folder, name))

const args = ['--yes', 'pnpm@10', '--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder]
const { status, stdout, stderr } = spawnSync('npx', args, {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`)
  process.exit(1)
}
const tarballs = readdirSync(folder).filter(isTarball).toSorted()
const width = Math.max(...tarballs.map((name) => name.length))
const sizes = tarballs.map((name) => [name, Math.ceil(statSync(join(folder, name)).size / 1024)])
process.stdout.write(
  `${sizes.map(([name, size]) => `${name.padEnd(width)}  ${String(size).padStart(5)} kB`).join('\n')}\n`,
)
process.stdout.write(`\nPacked ${tarballs.length} packages into ${folder}\n`)
