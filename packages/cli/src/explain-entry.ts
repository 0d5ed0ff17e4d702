import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { extractError } from './client/error-output.js'
import { CommandError } from './command-error.js'
import { nodeArguments } from './run-entry.js'

/** Seconds after which the program is killed, because a program that does not call `serve` would run forever. */
const maxSeconds = 60

/**
 * Starts an entry file with `--explain`, which prints the report of its server and exits. The program does not listen
 * on a port.
 *
 * @param entry Absolute path.
 * @param options `environment`: the variables of the program, without its settings file. Default: the variables of this
 *   process, and the settings file.
 * @returns The printed report.
 * @throws CommandError with the problems that the program printed.
 */
export async function explainEntry(
  entry: string,
  { json, environment }: { readonly json: boolean; readonly environment?: Readonly<Record<string, string>> },
): Promise<string> {
  const program = environment === undefined ? nodeArguments(entry) : [entry]
  const args = [...program, '--explain', ...(json ? ['--json'] : [])]
  const child = spawn(process.execPath, args, { env: environment ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, maxSeconds * 1000)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  if (code === 0) return stdout
  if (isLate) {
    const advice = 'A program that calls `createHost` prints the report with `host.mcp.explain()`.'
    throw new CommandError(`${entry} printed no report within ${maxSeconds} s: it does not call \`serve\`. ${advice}`)
  }
  throw new CommandError(extractError(stderr) || `${entry} ended with code ${String(code)}.`)
}
