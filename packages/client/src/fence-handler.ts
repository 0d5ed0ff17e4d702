import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'

/**
 * Keeps the text of an error within the client: the server gets a fixed text. A `ProtocolError` is sent as it is.
 *
 * @param onError Called with the error of the handler, which is also the `cause` of the error that is thrown.
 */
export function fenceHandler<Args extends readonly unknown[], Result>(
  method: string,
  handle: (...args: Args) => Result | Promise<Result>,
  onError: (error: Error) => void,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await handle(...args)
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      onError(error instanceof Error ? error : new Error(String(error)))
      const shown = new ProtocolError(ProtocolErrorCode.InternalError, `The client failed to handle ${method}.`)
      throw Object.assign(shown, { cause: error })
    }
  }
}
