import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.mjs'
import { formatSize } from './table.mjs'

/** Limits of installations with npm, in packages and MB. Raise them on purpose only. */
const limits = {
  server: { name: 'toolwright, in production', packages: 80, megabytes: 25 },
  project: { name: 'a new project, with development', packages: 155, megabytes: 150 },
}

/**
 * Compares installations with their limits.
 *
 * @param {string | undefined} project Folder of a project of a stranger with npm.
 */
export async function* findLimits(folder, env, project) {
  const cwd = join(folder, 'server')
  mkdirSync(cwd)
  await run('npm', ['install', '--prefix', cwd, 'toolwright'], { cwd, env })
  yield compare(cwd, limits.server)
  if (project !== undefined) yield compare(project, limits.project)
}

function compare(folder, { name, packages, megabytes }) {
  const modules = join(folder, 'node_modules')
  const found = Object.keys(JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages).length
  const bytes = sizeOf(modules)
  const problems = [
    ...(found > packages ? [`installs ${found} packages`] : []),
    ...(bytes > megabytes * 1_000_000 ? [`installs ${formatSize(bytes)}`] : []),
  ]
  return { name, cells: [String(found), String(packages), formatSize(bytes), `${megabytes} MB`], problems }
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => (entry.isFile() ? sum + lstatSync(join(entry.parentPath, entry.name)).size : sum),
    0,
  )
}
