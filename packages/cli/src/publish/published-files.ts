import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CommandError } from '../command-error.js'

/**
 * Returns the files of a project that `npm publish` would upload, relative to its folder. Runs no scripts of the project.
 *
 * @throws CommandError with the output of npm.
 */
export async function listPublishedFiles(folder: string): Promise<readonly string[]> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  // On Windows, npm is a script, and only a shell can run scripts.
  const options = { cwd: folder, shell: process.platform === 'win32', maxBuffer: 64 * 1024 * 1024 }
  try {
    const { stdout } = await promisify(execFile)('npm', args, options)
    // Some versions of npm print an array, others an object with a member for each package.
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, { files: readonly { path: string }[] }>)
    return (packed?.files ?? []).map(({ path }) => path)
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string }
    throw new CommandError(`'npm pack' failed: ${stderr || message}`)
  }
}
