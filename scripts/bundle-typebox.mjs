// Runs when core is packed: replaces the module that re-exports TypeBox by one file that contains it.
// TypeBox's 700 modules are most of a server's start-up time; its types still come from the package itself.
import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const core = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'core')
const file = join(core, 'dist', 'schema', 'typebox.js')
const license = readFileSync(join(core, 'node_modules', 'typebox', 'license'), 'utf8').trim()

buildSync({
  entryPoints: [file],
  outfile: file,
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: { js: `/*! TypeBox\n${license}\n*/` },
})
rmSync(`${file}.map`, { force: true })
console.log(`typebox.js: ${Math.round(statSync(file).size / 1024)} KB`)
