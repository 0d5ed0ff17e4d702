import { ProtocolError, SdkError, UnauthorizedError } from '@modelcontextprotocol/client'
import { CommandError, exitCodes } from '../command-error.js'
import { safeText } from '../terminal.js'

/** Describes an error of the client by its innermost cause. */
export function describe(error: unknown): string {
  let innermost: unknown = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  const message = innermost instanceof Error ? innermost.message || innermost.name : String(innermost)
  return safeText(message)
}

/** Explains the failure of a request to a connected server. Other errors are mistakes of this program, and returned as they are. */
export function explainFailure(error: unknown): unknown {
  if (ProtocolError.isInstance(error)) return new CommandError(`The server answered: ${safeText(error.message)}`)
  if (UnauthorizedError.isInstance(error)) {
    return new CommandError(
      'The server requires other credentials. Pass --bearer TOKEN or --login.',
      exitCodes.unreachable,
    )
  }
  // Errors of fetch are TypeErrors, with the error of the network as their cause.
  const isNetwork = SdkError.isInstance(error) || (error instanceof TypeError && error.cause !== undefined)
  return isNetwork ? new CommandError(`The request failed: ${describe(error)}`, exitCodes.unreachable) : error
}
