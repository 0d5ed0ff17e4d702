import { acceptOtherCopies } from '../copies/copies.js'

/**
 * Thrown by a tool to tell the model what went wrong: the call's result has `isError: true` and this message.
 * From a prompt, a resource or a completion, it is error -32602 with this message.
 * Say what to change, so that the next try works. Any other error reaches the client without its text.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
acceptOtherCopies(ToolError, 'ToolError')

/** Arguments that do not fit the input schema. Revisions differ in how the client hears of it. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}

/** A handler returned something that may not leave. An internal failure: the text is for the log. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}
