import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Creates the folder of the database and of the development key. The folder
 * must not be committed.
 * @returns Its path.
 */
export function createDataFolder(): string {
  const folder = fileURLToPath(new URL('../data/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.gitignore'), '*\n')
  return folder
}
