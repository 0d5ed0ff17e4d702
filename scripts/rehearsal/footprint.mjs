import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.mjs'
import { formatSize } from './table.mjs'

/** Limits of what an installation with npm may contain, in packages and MB. They are raised on purpose only. */
const limits = [{ name: 'toolwright, in production', packages: ['toolwright'], count: 80, megabytes: 40 }]

/** Installs packages into empty folders, and compares the result with the limits. */
export async function* findLimits(folder, env) {
  for (const { name, packages, count, megabytes } of limits) {
    const cwd = join(folder, name.replaceAll(/\W+/g, '-'))
    mkdirSync(cwd)
    await run('npm', ['install', '--prefix', cwd, ...packages], { cwd, env })
    const modules = join(cwd, 'node_modules')
    const found = Object.keys(JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages).length
    const bytes = sizeOf(modules)
    const problems = [
      ...(found > count ? [`installs ${found} packages`] : []),
      ...(bytes > megabytes * 1_000_000 ? [`installs ${formatSize(bytes)}`] : []),
    ]
    yield { name, cells: [String(found), String(count), formatSize(bytes), `${megabytes} MB`], problems }
  }
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => (entry.isFile() ? sum + lstatSync(join(entry.parentPath, entry.name)).size : sum),
    0,
  )
}
