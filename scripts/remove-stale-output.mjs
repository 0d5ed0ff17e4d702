import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '..', 'packages')

/** Removes the output of deleted sources from `dist/` of all packages. `tsc -b` leaves it there, and it would be packed. */
export function removeStaleOutput() {
  for (const name of readdirSync(packages)) {
    const dist = join(packages, name, 'dist')
    if (!existsSync(dist)) continue
    for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
      const [, module] = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(file) ?? []
      if (module === undefined) continue
      const source = join(packages, name, 'src', module)
      if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join(dist, file))
    }
  }
}
