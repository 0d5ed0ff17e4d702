import { ProtocolError } from '../../../errors/protocol-error.js'

/** Error that makes the client start a new session. */
export function sessionNotFound(): ProtocolError {
  return new ProtocolError('sessionNotFound', 'Session not found: call initialize again')
}
