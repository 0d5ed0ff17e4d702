import type { ChildProcess } from 'node:child_process'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { CommandError, exitCodes } from '../command-error.js'

/** Maximum size of a message of a program. A result with images can be large. */
export const maxMessageMiB = 256

/** Returns a function that describes the end of a program. The transport itself does not report the exit code. */
export function watchExit(transport: StdioClientTransport): () => string {
  let end = ''
  const { _process: child } = transport as unknown as { readonly _process?: ChildProcess }
  child?.once('exit', (code, signal) => {
    end = code === null ? `was ended by ${signal}` : `ended with code ${code}`
  })
  return () => end || 'closed the connection'
}

/**
 * Explains the loss of the connection to a program.
 *
 * @param fault The first error of the transport.
 * @param end The end of the program, such as `ended with code 1`.
 * @param printed The error output of the program.
 */
export function explainEnd(fault: Error | null, end: string, printed: string): CommandError {
  const reason = describeTooLong(fault) ?? `the server ${end} before its response`
  const lines = [`The request failed: ${reason}.`, printed].filter((line) => line !== '')
  return new CommandError(lines.join('\n\n'), exitCodes.unreachable)
}

export function describeTooLong(fault: Error | null): string | null {
  const isTooLong = fault?.message.includes('maximum size') === true
  return isTooLong ? `the server sent a message of more than ${maxMessageMiB} MiB` : null
}

/** Returns a possible cause of a timeout. A text on stdout without a line end spoils the message after it. */
export function adviseOnSilence(failure: string): string {
  const isTimeout = /timed out/i.test(failure)
  return isTimeout
    ? '. Does the server print text to stdout? stdout is for messages only: print to stderr instead.'
    : ''
}
