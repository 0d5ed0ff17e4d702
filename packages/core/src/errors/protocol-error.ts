import { acceptOtherCopies } from '../copies/copies.js'
import { type WireErrorName, wireErrors } from './codes.js'

/**
 * An error that the client's author has to act on: it becomes a JSON-RPC error.
 *
 * Message and data go to the client as they are, so both are kept small and free of internals.
 */
export class ProtocolError extends Error {
  override readonly name: string = 'ProtocolError'
  /** Of JSON-RPC: -32602, say. */
  readonly code: number
  /** Sent along as JSON; left out when it is none, or more than an error should carry. */
  readonly data: Readonly<Record<string, unknown>> | undefined
  /** HTTP status of the answer, where the protocol revision has a say in it. */
  readonly status: number

  /** @param message Cut after 1,000 characters. */
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

/** Characters of JSON. With message and id this stays below 4 KiB. */
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
 * Thrown by a handler whose arguments fit the schema but still make no sense: JSON-RPC error -32602 with the text in
 * `data.detail`. Throw {@link ToolError} instead when the model should correct itself.
 */
export class InvalidParamsError extends ProtocolError {
  override readonly name: string = 'InvalidParamsError'

  constructor(detail: string) {
    super('invalidParams', 'Invalid params', { detail: shorten(detail, 600) })
  }
}
acceptOtherCopies(InvalidParamsError, 'InvalidParamsError')

/** Thrown by a resource's handler for a URI that names nothing. Returning `undefined` does the same. */
export class ResourceNotFoundError extends ProtocolError {
  override readonly name: string = 'ResourceNotFoundError'

  constructor(uri: string) {
    super('resourceNotFound', 'Resource not found', { uri: shorten(uri, 600) })
  }
}
acceptOtherCopies(ResourceNotFoundError, 'ResourceNotFoundError')

/**
 * Cuts text that came from outside, so that an error which quotes it stays small, and mends halves of characters: strict
 * JSON parsers refuse a message that holds one.
 */
export function shorten(text: string, maxLength = 128): string {
  return text.length <= maxLength ? text.toWellFormed() : `${copyOf(text.slice(0, maxLength))}…`
}

/** Well-formed. A slice would hold all of the text that it is a piece of, for as long as what keeps it lives. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString()
}

/**
 * What comes of a message that is over a limit: of its bytes, its depth, its keys or items, or of the messages of a batch. A
 * class for those that count it; to everybody else it is any ProtocolError.
 */
export class MessageTooLarge extends ProtocolError {
  constructor(message: string, kind: 'invalidRequest' | 'bodyTooLarge' = 'invalidRequest') {
    super(kind, message)
  }
}
