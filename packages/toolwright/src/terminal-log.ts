import { createRequire } from 'node:module'
import { logOutput } from '@toolwright/server/program'

type LogOutput = ReturnType<typeof logOutput>

/**
 * Returns the output of the log: stdout. On a terminal, `pino-pretty` formats the lines if the package is installed, as it
 * is together with the command `toolwright`. Everywhere else, lines are JSON.
 */
export function standardOutput(): Pick<LogOutput, 'write' | 'flush' | 'flushSync'> {
  const output = logOutput(process.stdout.fd || 1)
  const format = process.stdout.isTTY ? loadFormat() : null
  if (format === null) return output
  return {
    write: (line) => output.write(format(line)),
    flush: (done) => output.flush(done),
    flushSync: () => output.flushSync(),
  }
}

function loadFormat(): ((line: string) => string) | null {
  try {
    // With `require`, bundlers neither include the package nor report it as missing.
    const load = createRequire(import.meta.url) as (name: string) => typeof import('pino-pretty')
    return load('pino-pretty').prettyFactory({ ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss' })
  } catch {
    return null
  }
}
