import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether the folder, which may not exist yet, is inside a repository. */
export function isInRepository(folder: string): boolean {
  let path = resolve(folder)
  // Stops at the root, which does not exist on Windows if the drive is missing.
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return spawnSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd: path }).status === 0
}

export function createRepository(path: string): boolean {
  return spawnSync('git', ['init', '--quiet'], { cwd: path }).status === 0
}
