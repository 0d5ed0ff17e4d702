/**
 * Thrown by a tool to tell the model what went wrong: the call's result has `isError: true` and this message.
 * Say what to change, so that the next try works. Any other error reaches the client without its text.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
