// READMEs of samples: each command that is followed by its output is run, and prints that output.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** A block of shell commands, followed by a block with the output. */
const trial = /```sh\n([^`]*curl [^`]*)```\n[^`]*```(?:json|text|csv)\n([^`]*)```/g

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

export interface Trial {
  /** Name of the called tool, or the command. */
  readonly name: string
  readonly output: string
  /**
   * Runs the command with the address of a running sample.
   *
   * @returns Its output, without the final line break. Each time is replaced by the time in the READMEs.
   */
  readonly run: (url: URL) => Promise<string>
}

/** @param folder Folder of the sample. Its commands run at the root of the repository. */
export function readTrials(folder: string): readonly Trial[] {
  const trials = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(trial)]
  if (trials.length === 0) throw new Error(`The README of ${folder} shows no command with its output.`)
  return trials.map(([, command = '', output = '']) => ({
    name: /"name": ?"([^"]+)"/.exec(command)?.[1] ?? command,
    output: output.trim(),
    run: async (url) => {
      const script = command.replaceAll('http://127.0.0.1:3000/mcp', url.href)
      const { stdout } = await execute('sh', ['-c', script], { cwd: join(__dirname, '..', '..') })
      return stdout.trim().replaceAll(time, '2030-01-31T12:00:00.000Z')
    },
  }))
}
