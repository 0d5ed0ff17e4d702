import { ProtocolError } from '../errors/protocol-error.js'

/** More resources than anybody watches at once. They are kept for as long as the client is there. */
export const maxSubscribedUris = 1000

/** Characters of all of them. */
const maxSubscribedLength = 65_536

const maxUriLength = 2048

/** @throws ProtocolError -32602 */
export function readSubscribedUri(uri: unknown): string {
  if (typeof uri === 'string' && uri.length <= maxUriLength) return uri
  throw new ProtocolError('invalidParams', `Invalid params: a URI is a string of at most ${maxUriLength} characters`)
}

/** @throws ProtocolError -32602 */
export function readSubscribedUris(uris: unknown = []): readonly string[] {
  if (!Array.isArray(uris) || uris.length > maxSubscribedUris) {
    const message = `Invalid params: "resourceSubscriptions" must be a list of at most ${maxSubscribedUris} URIs`
    throw new ProtocolError('invalidParams', message)
  }
  const read = [...new Set(uris.map(readSubscribedUri))]
  checkLength(read)
  return read
}

/** @throws ProtocolError -32602 */
export function checkLength(uris: readonly string[]): void {
  const length = uris.reduce((sum, { length: own }) => sum + own, 0)
  if (length <= maxSubscribedLength) return
  const message = `Invalid params: the URIs of all subscriptions have at most ${maxSubscribedLength} characters together`
  throw new ProtocolError('invalidParams', message)
}
