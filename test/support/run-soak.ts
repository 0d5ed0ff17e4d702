import { execFile, type PromiseWithChild } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile) as (file: string, args: readonly string[]) => PromiseWithChild<{ stdout: string }>

/** What a script of test/soak reports, whether or not it finds it good. */
export async function runSoak(script: string, ...flags: readonly (string | number)[]): Promise<unknown> {
  const path = join(__dirname, '..', 'soak', script)
  const running = execute(process.execPath, [path, ...flags.map(String)])
  const { stdout } = await running.catch((failed: { readonly stdout: string }) => failed)
  return JSON.parse(stdout) as unknown
}
