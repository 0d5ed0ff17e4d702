// READMEs of samples: each command that is followed by its output is run, and prints that output.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A block of shell commands, followed by a block with the output. */
const trial = /```sh\n([^`]*curl [^`]*)```\n[^`]*```(?:json|text|csv)\n([^`]*)```/g

export interface Trial {
  /** Of the called tool. */
  readonly name: string
  readonly output: string
  /** Runs the command with the address of a running sample. @returns Its output, without the final line break. */
  readonly run: (url: URL, env?: Readonly<Record<string, string>>) => Promise<string>
}

/** @param folder Folder of the sample. Its commands run at the root of the repository. */
export function readTrials(folder: string): readonly Trial[] {
  const trials = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(trial)]
  if (trials.length === 0) throw new Error(`The README of ${folder} shows no command with its output.`)
  return trials.map(([, command = '', output = '']) => ({
    name: /"name":"([^"]+)"/.exec(command)?.[1] ?? command,
    output: output.trim(),
    run: async (url, env = {}) => {
      const script = command.replaceAll('http://127.0.0.1:3000/mcp', url.href)
      const options = { cwd: join(__dirname, '..', '..'), env: { ...process.env, ...env } }
      return (await execute('sh', ['-c', script], options)).stdout.trim()
    },
  }))
}
