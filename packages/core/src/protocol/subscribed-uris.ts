import { normalUri } from '../catalog/normal-uri.js'
import type { Change } from '../context/changes.js'
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

/** Spellings other than the normal one, by the normal one. Most clients have none. */
type Spelled = ReadonlyMap<string, readonly string[]>

const spelledIn = new WeakMap<ReadonlySet<string>, Spelled>()

/**
 * What a client with these subscriptions is told of a change. A resource has the URI that the client spelled, since `%61`
 * and `a` name the same one. Nothing of resources that it did not subscribe to; a change of a list as it is.
 */
export function asSubscribed(change: Change, uris: ReadonlySet<string>): readonly Change[] {
  if (change.kind !== 'resource') return [change]
  if (uris.size === 0) return []
  const normal = normalUri(change.uri)
  const others = findSpelled(uris).get(normal) ?? []
  const heard = uris.has(normal) ? [normal, ...others] : others
  return heard.map((uri) => ({ ...change, uri }))
}

function findSpelled(uris: ReadonlySet<string>): Spelled {
  const known = spelledIn.get(uris)
  if (known !== undefined) return known
  const spelled = new Map<string, readonly string[]>()
  for (const uri of uris) {
    const normal = normalUri(uri)
    if (normal !== uri) spelled.set(normal, [...(spelled.get(normal) ?? []), uri])
  }
  spelledIn.set(uris, spelled)
  return spelled
}
