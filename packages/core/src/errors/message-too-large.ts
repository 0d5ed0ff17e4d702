import { ProtocolError } from './protocol-error.js'

/**
 * What comes of a message that is over a limit: of its bytes, its depth, its keys or items, or of the messages of a batch. A
 * class for those that count it; to everybody else it is any ProtocolError.
 */
export class MessageTooLarge extends ProtocolError {
  constructor(message: string, kind: 'invalidRequest' | 'bodyTooLarge' = 'invalidRequest') {
    super(kind, message)
  }
}
