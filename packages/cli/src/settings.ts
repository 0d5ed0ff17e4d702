import { existsSync } from 'node:fs'

/**
 * File with the settings of a project, in the working directory. Variables that are already in the environment take
 * precedence.
 */
const file = '.env'

/** Reads the settings into the environment of this process, as `npm start` does for the built program. */
export function loadSettings(): void {
  if (existsSync(file)) process.loadEnvFile(file)
}

/** Returns the arguments of `node` that read the settings into the environment of another process. */
export function settingsArguments(): readonly string[] {
  return existsSync(file) ? [`--env-file=${file}`] : []
}
