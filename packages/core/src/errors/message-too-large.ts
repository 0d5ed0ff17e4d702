import { ProtocolError } from './protocol-error.js'

/** What comes of a message that is over a limit: of its bytes, its depth, its keys or items, or of the messages of a batch. */
export class MessageTooLarge extends ProtocolError {
  override readonly name: string = 'MessageTooLarge'

  constructor(message: string, kind: 'invalidRequest' | 'bodyTooLarge' = 'invalidRequest') {
    super(kind, message)
  }
}
