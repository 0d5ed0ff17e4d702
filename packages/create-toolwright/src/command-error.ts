import { safeText } from './safe-text.js'

export { safeText }

export const exitCodes = {
  /** The action failed: a tool returned an error, or a check found a mistake. */
  failed: 1,
  /** The server could not be reached or started. */
  unreachable: 2,
  usage: 64,
  cancelled: 130,
} as const

/** A problem that the user can fix. The message is printed to stderr without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
  ) {
    super(message)
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, exitCodes.usage)
}

/**
 * Runs a command. Prints a {@link CommandError} without a stack, and sets the exit code of the process. The message may
 * contain texts of a server, so control characters are removed here, for all commands.
 */
export async function reportErrors(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    if (error.message !== '') process.stderr.write(`${safeText(error.message)}\n`)
    process.exitCode = error.exitCode
  }
}
