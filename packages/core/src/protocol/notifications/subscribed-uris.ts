import { isPlainUri, normalUri } from '../../catalog/normal-uri.js'
import type { Change } from '../../context/changes.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { SentChange } from './visible-changes.js'

/** Maximum number of subscribed resources, which are stored as long as the client is connected. */
export const maxSubscribedUris = 1000

const maxSubscribedLength = 65_536

const maxUriLength = 2048

export function readSubscribedUri(uri: unknown): string {
  if (typeof uri === 'string' && uri.length <= maxUriLength) return uri
  throw new ProtocolError(
    'invalidParams',
    `Invalid params: a URI must be a string of at most ${maxUriLength} characters`,
  )
}

export function readSubscribedUris(uris: unknown = []): readonly string[] {
  if (!Array.isArray(uris) || uris.length > maxSubscribedUris) {
    const message = `Invalid params: "resourceSubscriptions" must be a list of at most ${maxSubscribedUris} URIs`
    throw new ProtocolError('invalidParams', message)
  }
  const read = [...new Set(uris.map(readSubscribedUri))]
  checkLength(read)
  return read
}

/** Overhead of a URI in bytes, besides its characters. */
const uriBytes = 100

export function bytesOfUris(uris: Iterable<string>): number {
  let bytes = 0
  for (const { length } of uris) bytes += length + uriBytes
  return bytes
}

export function checkLength(uris: readonly string[]): void {
  const length = uris.reduce((sum, { length: own }) => sum + own, 0)
  if (length <= maxSubscribedLength) return
  const message = `Invalid params: the URIs of all subscriptions together must have at most ${maxSubscribedLength} characters`
  throw new ProtocolError('invalidParams', message)
}

/**
 * Alternative spellings of one client's URIs. Nearly all URIs have only one spelling, and are therefore in neither of the maps.
 */
interface Spellings {
  readonly normal: ReadonlyMap<string, string>
  /** Subscribed URIs that are not normalized, by normalized URI. */
  readonly others: ReadonlyMap<string, readonly string[]>
}

const spellings = new WeakMap<ReadonlySet<string>, Spellings>()

/**
 * Normalizes the URIs of a client when the client subscribes. Normalizing the URIs of all clients together at the first change
 * would block the event loop for seconds.
 *
 * @param before The client's previous URIs, whose spellings are reused.
 */
export function cacheSpellings(uris: ReadonlySet<string>, before: ReadonlySet<string> | null = null): void {
  if (uris.size > 0 && uris !== before) spellingsOf(uris, before)
}

/**
 * Returns the notifications of a change for a client with these subscriptions. Each notification has the URI as the client
 * spelled it: `%61` and `a` name the same resource. Returns no notifications for resources without a subscription. Changes of
 * lists are returned unchanged.
 */
export function asSubscribed(change: Change, uris: ReadonlySet<string>): readonly SentChange[] {
  if (change.kind === 'enabled') return []
  if (change.kind !== 'resource') return [change]
  if (uris.size === 0) return []
  const normal = normalUri(change.uri)
  const others = spellingsOf(uris, null).others.get(normal) ?? []
  const subscribed = uris.has(normal) ? [normal, ...others] : others
  return subscribed.map((uri) => ({ ...change, uri }))
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
