import type { ProtocolError } from '../errors/protocol-error.js'
import type { Answer } from '../protocol/exchange.js'
import { findIdAtEnds, findRequestId } from '../rpc/find-request-id.js'
import type { ExactId } from '../rpc/messages.js'
import { type JsonBounds, parseJson } from '../rpc/parse-json.js'
import { yieldToEventLoop } from '../timing/yield-to-event-loop.js'
import type { LongLine } from './line-reader.js'

/**
 * Bytes from which on a message takes milliseconds to read, and as long to write. Reading it, serving it and writing its
 * answer are a turn of the event loop each then, so that others wait for one of them only, whoever it is for.
 */
const longLength = 256 * 1024

export function isLong(message: { readonly length: number } | null): boolean {
  return message !== null && message.length > longLength
}

/**
 * Reads a message; resolves when it may be served, in another turn where it is long.
 *
 * @throws ProtocolError when it is no JSON, or beyond the bounds.
 */
export async function readInTurn(bytes: Buffer, bounds: JsonBounds): Promise<unknown> {
  if (!isLong(bytes)) return parseJson(bytes, bounds)
  await yieldToEventLoop('read')
  const message = parseJson(bytes, bounds)
  await yieldToEventLoop('serve')
  return message
}

/**
 * The id to answer with when a message was not read. Over a connection nothing else tells the client which of its requests
 * was refused. What is no JSON has none.
 */
export function idOfRefused(bytes: Buffer, { kind }: ProtocolError): ExactId | undefined {
  return kind === 'parseError' ? undefined : findRequestId(bytes.toString('utf8'))
}

/** The same for one that was too long to be kept. */
export function idOfLong({ head, tail }: LongLine): ExactId | undefined {
  return findIdAtEnds(head.toString('utf8'), tail.toString('utf8'))
}

/** The same answer as bytes, which nobody has to measure before they write them; a turn later. */
export async function inTurn(answer: Answer): Promise<Answer> {
  await yieldToEventLoop('answer')
  const { body } = answer
  return typeof body === 'string' ? { ...answer, body: Buffer.from(body) } : answer
}
