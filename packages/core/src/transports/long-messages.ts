import type { ProtocolError } from '../errors/protocol-error.js'
import type { Answer } from '../protocol/answer.js'
import { findRequestId } from '../rpc/find-request-id.js'
import type { ExactId } from '../rpc/messages.js'
import { type JsonBounds, parseJson } from '../rpc/parse-json.js'
import { yieldToEventLoop } from '../timing/yield-to-event-loop.js'

/**
 * Size in bytes above which a message takes milliseconds to read and to write. Such a message is read, served and
 * answered in separate turns of the event loop: other clients wait for only one of these steps.
 */
const longLength = 256 * 1024

export function isLong(message: { readonly length: number } | null): boolean {
  return message !== null && message.length > longLength
}

/**
 * Parses a message. For a long message, resolves in a later turn of the event loop, in which the message can be served.
 *
 * @throws ProtocolError if the message is not JSON, or exceeds the limits.
 */
export async function readInTurn(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  if (!isLong(bytes)) return parseJson(bytes, bounds)
  await yieldToEventLoop('read')
  const message = parseJson(bytes, bounds)
  await yieldToEventLoop('serve')
  return message
}

/**
 * Returns the id for the error response to a message that was rejected before it was parsed. On a connection, only the id shows
 * the client which request was rejected. Invalid JSON has no id.
 */
export function idOfRejected(bytes: Buffer, { kind }: ProtocolError): ExactId | undefined {
  return kind === 'parseError' ? undefined : findRequestId(bytes.toString('utf8'))
}

/** Converts a long response to bytes, in a later turn, so that the transport need not compute the length of the response. */
export async function encodeLongAnswer(answer: Answer): Promise<Answer> {
  await yieldToEventLoop('answer')
  const { body } = answer
  return typeof body === 'string' ? { ...answer, body: Buffer.from(body) } : answer
}
