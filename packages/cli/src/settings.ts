import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

/** File with the settings of a project. Variables that are already in the environment take precedence. */
const file = '.env'

/** Reads the settings into the environment of this process, as `npm start` does for the built program. */
export function loadSettings(): void {
  if (isFile(file)) process.loadEnvFile(file)
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

/** Returns the variables of a program that is started with {@link settingsArguments}. */
export function readSettings(entry: string): Readonly<Record<string, string | undefined>> {
  const found = findSettings(entry)
  return { ...(found === null ? {} : parseEnv(readFileSync(found, 'utf8'))), ...process.env }
}

/** Finds the settings in the working directory, or in the folder of the project: its commands also work in subfolders. */
function findSettings(entry: string): string | null {
  if (isFile(file)) return file
  for (let folder = dirname(resolve(entry)); ; folder = dirname(folder)) {
    if (isFile(join(folder, file))) return join(folder, file)
    if (isFile(join(folder, 'package.json')) || dirname(folder) === folder) return null
  }
}

/** Whether a path is a file. A folder `.env` can be a virtual environment of Python. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
