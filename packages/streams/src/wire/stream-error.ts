/** Codes of errors in streams. Codes of JSON-RPC have their usual meaning. */
export const streamErrors = {
  failed: -32000,
  invalidRequest: -32600,
  methodNotFound: -32601,
  internalError: -32603,
} as const

/** The failure of a stream, as it is sent to the other side. */
export class StreamError extends Error {
  override readonly name = 'StreamError'

  /**
   * @param code Code of JSON-RPC, or -32000 for a stream that failed or was aborted.
   * @param data Additional JSON.
   */
  constructor(
    message: string,
    readonly code: number = streamErrors.failed,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export function toStreamError(thrown: unknown): StreamError {
  if (thrown instanceof StreamError) return thrown
  return new StreamError(thrown instanceof Error ? thrown.message : String(thrown))
}
