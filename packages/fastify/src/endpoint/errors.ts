import { LimitError, ProtocolError } from '@toolwright/core'
import { MessageTooLarge } from '@toolwright/core/host'

// Errors that several routes throw.

export function bodyTooLarge(maxBytes: number): MessageTooLarge {
  return new MessageTooLarge(`Content Too Large: a message must have at most ${maxBytes} bytes`, 'bodyTooLarge')
}

export function bodyEmpty(): ProtocolError {
  return new ProtocolError('parseError', 'Parse error: the body is empty')
}

export function serverCloses(): LimitError {
  return new LimitError('unavailable', 'The server is closing')
}
