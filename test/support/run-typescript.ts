import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * The output of a program, parsed as JSON. For large workloads: Jest tracks every promise of a test, and a heap in
 * which other tests have run takes long to collect, so that the same work takes ten times as long there.
 */
export async function runTypeScript(program: string, ...args: readonly (string | number)[]): Promise<unknown> {
  const flags = ['--expose-gc', '--import', '@oxc-node/core/register', program]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...args.map(String)])
  return JSON.parse(stdout) as unknown
}
