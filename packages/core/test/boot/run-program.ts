import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** `tsc -b` writes the programs to this folder, and they run in it. */
export const programs = join(__dirname, '..', 'programs', 'dist')

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs Node in the folder of the programs until it exits. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { cwd: programs, env: { ...process.env, ...env }, timeout: 20_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })
}
