import { inspect } from 'node:util'
import { BootError } from '@toolwright/core'
import { logOutput } from '@toolwright/server/program'

/**
 * Makes the process print a boot error and exit with code 1 if the program does not catch it. Node would print a line of
 * the program, the error as an object and Node's version. Boot errors also come from functions that programs call before
 * `serve`, such as `loadConfig` and `createHost`. Has no effect on other errors, or if the program handles
 * `uncaughtException`.
 */
export function printUncaughtBootErrors(): void {
  // Uses a monitor, because it does not change how Node handles other errors.
  process.on('uncaughtExceptionMonitor', exitWithBootError)
}

function exitWithBootError(error: unknown): void {
  if (!(error instanceof BootError) || process.listenerCount('uncaughtException') > 0) return
  const { cause } = error
  const causes = cause === undefined ? '' : `\n${inspect(cause)}\n`
  logOutput(process.stderr.fd || 2).write(`${String(error)}\n${causes}`)
  process.exit(1)
}
