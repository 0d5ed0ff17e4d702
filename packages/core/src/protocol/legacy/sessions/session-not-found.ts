import { ProtocolError } from '../../../errors/protocol-error.js'

/** The client then starts over. */
export function sessionNotFound(): ProtocolError {
  return new ProtocolError('sessionNotFound', 'Session not found: call initialize again')
}
