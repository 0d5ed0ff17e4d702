import { spawn } from 'node:child_process'
import { taskLog } from '@clack/prompts'
import { CommandError } from './command-error.js'
import type { PackageManager } from './package-managers.js'

/** How progress is shown: drawn on a terminal, as the output of the package manager, or not at all. */
export type Progress = 'drawn' | 'plain' | 'silent'

/** @throws CommandError if the package manager fails. The written project stays. */
export async function installDependencies(path: string, manager: PackageManager, progress: Progress): Promise<void> {
  const title = `Installing the dependencies with ${manager}`
  if (progress === 'plain') process.stderr.write(`${title}\n`)
  const log = progress === 'drawn' ? taskLog({ title, limit: 5 }) : null
  // If the output was not shown, the last lines explain a failure.
  let output = ''
  const code = await run(path, manager, (text) => {
    output = `${output}${text}`.slice(-4000)
    if (progress === 'plain') process.stderr.write(text)
    log?.message(text.trimEnd())
  })
  if (code === 0) {
    log?.success('Installed the dependencies')
    return
  }
  const problem = `${manager} install ended with code ${code}`
  log?.error(problem)
  const shown = progress === 'silent' ? `${output.trim()}\n\n` : ''
  throw new CommandError(`${shown}${problem}. The project was created: run the installation again in ${path}.`)
}

function run(cwd: string, manager: PackageManager, show: (text: string) => void): Promise<number | string> {
  return new Promise((resolve, reject) => {
    // On Windows, package managers are scripts, and only a shell can run scripts.
    const child = spawn(manager, ['install'], {
      cwd,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.setEncoding('utf8').on('data', show)
    child.stderr.setEncoding('utf8').on('data', show)
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
}
