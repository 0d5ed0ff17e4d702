/** Exit codes, the same as of the other commands of Toolwright. */
export const exitCodes = { failed: 1, usage: 64, cancelled: 130 } as const

/** A problem that the user can fix. Its message is printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
  ) {
    super(message)
  }
}

/** Error in the arguments of the command. */
export function misuse(message: string): CommandError {
  return new CommandError(message, exitCodes.usage)
}
