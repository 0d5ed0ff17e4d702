import { acceptOtherCopies } from '../copies/copies.js'

/**
 * Thrown by a tool to report a failure to the model: the call's result has `isError: true` and the error's message. If a prompt,
 * a resource or a completion throws a `ToolError`, the client gets JSON-RPC error -32602 with the message. Describe in the
 * message what to change, so that the next attempt succeeds. Clients do not receive the messages of other errors.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
acceptOtherCopies(ToolError, 'ToolError')

export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}

/** Thrown when a handler returned an invalid result. This is an internal error: the message is for the log only. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}
