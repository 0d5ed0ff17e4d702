import { isPlainUri, normalUri } from '../catalog/normal-uri.js'
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

/** What a URI takes in memory besides its characters. */
const uriBytes = 100

/** What they take in memory. */
export function bytesOfUris(uris: Iterable<string>): number {
  let bytes = 0
  for (const { length } of uris) bytes += length + uriBytes
  return bytes
}

/** @throws ProtocolError -32602 */
export function checkLength(uris: readonly string[]): void {
  const length = uris.reduce((sum, { length: own }) => sum + own, 0)
  if (length <= maxSubscribedLength) return
  const message = `Invalid params: the URIs of all subscriptions have at most ${maxSubscribedLength} characters together`
  throw new ProtocolError('invalidParams', message)
}

/** How the URIs of one client are spelled. Those that have one spelling only, as nearly all have, are in neither. */
interface Spellings {
  /** The normal spelling, by URI. */
  readonly normal: ReadonlyMap<string, string>
  /** Those that are not normal, by the normal spelling. */
  readonly others: ReadonlyMap<string, readonly string[]>
}

const spellings = new WeakMap<ReadonlySet<string>, Spellings>()

/**
 * To be called when a client subscribes. For many clients with many URIs it takes seconds to find out how these are spelled,
 * and the first change would hold up everybody for as long.
 *
 * @param before What the client had: what is known of that is not found out again.
 */
export function learnSpellings(uris: ReadonlySet<string>, before: ReadonlySet<string> | null = null): void {
  if (uris.size > 0 && uris !== before) spellingsOf(uris, before)
}

/**
 * What a client with these subscriptions is told of a change. A resource has the URI that the client spelled, since `%61`
 * and `a` name the same one. Nothing of resources that it did not subscribe to; a change of a list as it is.
 */
export function asSubscribed(change: Change, uris: ReadonlySet<string>): readonly Change[] {
  if (change.kind !== 'resource') return [change]
  if (uris.size === 0) return []
  const normal = normalUri(change.uri)
  const others = spellingsOf(uris, null).others.get(normal) ?? []
  const heard = uris.has(normal) ? [normal, ...others] : others
  return heard.map((uri) => ({ ...change, uri }))
}

function spellingsOf(uris: ReadonlySet<string>, before: ReadonlySet<string> | null): Spellings {
  const known = spellings.get(uris)
  if (known !== undefined) return known
  const found = findSpellings(uris, before === null ? undefined : spellings.get(before)?.normal)
  spellings.set(uris, found)
  return found
}

function findSpellings(uris: ReadonlySet<string>, known: Spellings['normal'] = new Map()): Spellings {
  const normal = new Map<string, string>()
  const others = new Map<string, string[]>()
  for (const uri of uris) {
    if (isPlainUri(uri)) continue
    const usual = known.get(uri) ?? normalUri(uri)
    normal.set(uri, usual)
    if (usual === uri) continue
    const same = others.get(usual)
    if (same === undefined) others.set(usual, [uri])
    else same.push(uri)
  }
  return { normal, others }
}
