// Removes the output of the build. `tsc -b --clean` would leave the output of deleted sources.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packagesInstalledWith } from './installed-packages.mjs'

const root = join(import.meta.dirname, '..')
const below = (folder) => readdirSync(join(root, folder)).map((name) => join(folder, name))

for (const folder of [
  ...below('packages'),
  ...below('samples'),
  'docs/snippets',
  'benchmarks',
  'test',
  'packages/core/test/programs',
]) {
  rmSync(join(root, folder, 'dist'), { recursive: true, force: true })
}
for (const name of [...packagesInstalledWith('toolwright'), 'inspector'])
  rmSync(join(root, 'packages', name, 'bundle'), { recursive: true, force: true })
rmSync(join(root, 'coverage'), { recursive: true, force: true })
