import { inspect } from 'node:util'
import { BootError } from '@toolwright/core'
import { logOutput } from '@toolwright/core/internal'

const watched = new WeakSet<object>()
let isWatching = false

/**
 * Makes the process print a boot error and exit with code 1 if the program does not catch it. Node would print a line
 * of the program, the error as an object and Node's version. Has no effect on other errors, or if the program handles
 * `uncaughtException`.
 */
export function printIfUncaught(error: unknown): void {
  if (!(error instanceof BootError)) return
  watched.add(error)
  // Uses a monitor, because it does not change how Node handles other errors.
  if (!isWatching) process.on('uncaughtExceptionMonitor', exitWith)
  isWatching = true
}

function exitWith(error: Error): void {
  if (!watched.has(error) || process.listenerCount('uncaughtException') > 0) return
  const { cause } = error
  const causes = cause === undefined ? '' : `\n${inspect(cause)}\n`
  logOutput(process.stderr.fd || 2).write(`${String(error)}\n${causes}`)
  process.exit(1)
}
