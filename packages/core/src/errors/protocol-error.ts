import { shorten } from '@toolwright/schema'
import { acceptOtherCopies } from '../copies/copies.js'
import { type WireErrorName, wireErrors } from './codes.js'

/**
 * An error for the client, sent as a JSON-RPC error.
 *
 * Message and data are sent unchanged: keep both small and free of internals.
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  /** JSON-RPC error code, such as -32602. */
  readonly code: number
  /** Additional JSON for the client. Left out when it is not valid JSON, or longer than 2,000 characters. */
  readonly data: Readonly<Record<string, unknown>> | undefined
  /** HTTP status of the response, in revisions that specify it. */
  readonly status: number

  /** @param message Truncated to 1,000 characters. */
  constructor(
    readonly kind: WireErrorName,
    message: string,
    data?: Readonly<Record<string, unknown>>,
  ) {
    super(shorten(message, 1000))
    this.data = toData(data)
    this.code = wireErrors[kind].code
    this.status = wireErrors[kind].status
  }
}
acceptOtherCopies(ProtocolError, 'ProtocolError')

/** Maximum length of `data` as JSON, in characters. With this limit, an error with message and id stays below 4 KiB. */
const maxDataLength = 2000

function toData(data: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = JSON.stringify(data) as string | undefined
    return json === undefined || json.length > maxDataLength ? undefined : (JSON.parse(json) as Record<string, unknown>)
  } catch {
    return undefined
  }
}

/**
 * Thrown by a handler whose arguments match the schema, but are still invalid: JSON-RPC error -32602 with the message in
 * `data.detail`. Throw {@link ToolError} instead when the model should correct itself.
 */
export class InvalidParamsError extends ProtocolError {
  override readonly name: string = 'InvalidParamsError'

  constructor(detail: string) {
    super('invalidParams', 'Invalid params', { detail: shorten(detail, 600) })
  }
}
acceptOtherCopies(InvalidParamsError, 'InvalidParamsError')

/** Thrown by the handler of a resource when the URI does not exist. Returning `undefined` has the same effect. */
export class ResourceNotFoundError extends ProtocolError {
  override readonly name: string = 'ResourceNotFoundError'

  constructor(uri: string) {
    super('resourceNotFound', 'Resource not found', { uri: shorten(uri, 600) })
  }
}
acceptOtherCopies(ResourceNotFoundError, 'ResourceNotFoundError')

/**
 * A message that exceeds a limit on bytes, depth, keys, items or batch size. A separate class, so that a metric can count these
 * errors.
 */
export class MessageTooLarge extends ProtocolError {
  constructor(message: string, kind: 'invalidRequest' | 'bodyTooLarge' = 'invalidRequest') {
    super(kind, message)
  }
}
