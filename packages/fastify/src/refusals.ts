import { LimitError, ProtocolError } from '@toolwright/core/internal'

// What several routes refuse with, in the same words.

export function bodyTooLarge(maxBytes: number): ProtocolError {
  return new ProtocolError('bodyTooLarge', `Content Too Large: a message has at most ${maxBytes} bytes`)
}

export function bodyEmpty(): ProtocolError {
  return new ProtocolError('parseError', 'Parse error: the body is empty')
}

/** For connections that stay open. */
export function tooManyConnections(): LimitError {
  return new LimitError('unavailable', 'Too many connections are open', 10_000)
}
