import { execFile, type PromiseWithChild } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

const execute = promisify(execFile) as (file: string, args: readonly string[]) => PromiseWithChild<Printed>

/** The report of a script of test/soak, whether it passes or not. */
export async function runSoak(script: string, ...flags: readonly (string | number)[]): Promise<unknown> {
  const path = join(__dirname, '..', 'soak', script)
  const running = execute(process.execPath, [path, ...flags.map(String)])
  const { stdout, stderr } = await running.catch((failed: Printed) => failed)
  if (stdout === '') throw new Error(`${script} reported nothing: ${stderr.slice(-2000)}`)
  return JSON.parse(stdout) as unknown
}
