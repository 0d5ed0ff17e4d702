import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

/** File with the settings of a project. Variables that are already in the environment take precedence. */
const file = '.env'

const loaded = new Set<string>()

/**
 * Reads the settings into the environment of this process, as `npm start` does for the built program. Replaces the
 * settings that were read before.
 *
 * @param entry Absolute path of the program. Default: only the working directory is searched.
 */
export function loadSettings(entry?: string): void {
  for (const name of loaded) delete process.env[name]
  loaded.clear()
  const found = entry === undefined ? file : findSettings(entry)
  if (found === null || !isFile(found)) return
  for (const [name, value] of Object.entries(parseEnv(readFileSync(found, 'utf8')))) {
    if (name in process.env) continue
    process.env[name] = value
    loaded.add(name)
  }
}

/**
 * Returns the arguments of `node` that read the settings into the environment of another process.
 *
 * @param entry Absolute path of the program.
 */
export function settingsArguments(entry: string): readonly string[] {
  const found = findSettings(entry)
  return found === null ? [] : [`--env-file=${found}`]
}

export function readSettings(entry: string): Readonly<Record<string, string | undefined>> {
  const found = findSettings(entry)
  return { ...(found === null ? {} : parseEnv(readFileSync(found, 'utf8'))), ...process.env }
}

/** Finds the settings in the working directory, or in the folder of the project: its commands also work in subfolders. */
function findSettings(entry: string): string | null {
  return settingsPaths(entry).find(isFile) ?? null
}

/** Lists the absolute paths at which the settings of a program can be, the first with priority. */
export function settingsPaths(entry: string): readonly string[] {
  const paths = [resolve(file)]
  for (let folder = dirname(resolve(entry)); ; folder = dirname(folder)) {
    paths.push(join(folder, file))
    if (isFile(join(folder, 'package.json')) || dirname(folder) === folder) return paths
  }
}

/** Whether a path is a file. A folder `.env` can be a virtual environment of Python. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
