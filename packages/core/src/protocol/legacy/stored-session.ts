import { isLoggingLevel, type LoggingLevel } from '../../context/logging-level.js'
import type { ClientInfo } from '../../context/mcp-context.js'
import { isStringList } from '../../options/kinds.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { type Handshake, initialState, type PeerState } from '../peer.js'
import { findRevision, type Revision } from '../revisions.js'

/** The state of a legacy session: plain JSON, for any store. Immutable: a change replaces the object. */
export interface StoredSession {
  /** Issuer, subject and client of the caller that opened the session, as one string; `null` for unauthenticated callers. */
  readonly owner: string | null
  /**
   * Key of the caller, authenticated or not, for rate limits and shared capacity. Missing in sessions that older versions stored:
   * these sessions count toward the limits of their owner.
   */
  readonly caller?: string
  /** Revision that the handshake negotiated. */
  readonly protocolVersion: string
  readonly clientInfo: ClientInfo | null
  readonly clientCapabilities: JsonObject
  /** Whether the client has sent `notifications/initialized`. */
  readonly isInitialized: boolean
  /** Level set by `logging/setLevel`; `null` if the client has not set a level. */
  readonly logLevel: LoggingLevel | null
  /** URIs that the client has subscribed to. */
  readonly subscribedUris: readonly string[]
  /** Subscribed URIs of resources that are hidden from the client. The client gets no notifications for these URIs. */
  readonly mutedUris: readonly string[]
  /** Number of times that the client's roots have changed. Missing in sessions that older versions stored. */
  readonly rootsChanges?: number
  /**
   * Digests of the lists when the session was opened, or when a node last notified the client of changed lists. A node with
   * different lists notifies the client at the first request to that node. Missing in sessions that older versions stored:
   * clients of these sessions are not notified.
   */
  readonly lists?: { readonly tools: string; readonly prompts: string; readonly resources: string }
}

export function encodeState(handshake: Handshake, state: PeerState = initialState) {
  const { logLevel, isInitialized, subscribedUris, mutedUris, rootsChanges } = state
  const { revision, clientInfo, clientCapabilities } = handshake
  return {
    protocolVersion: revision.version,
    clientInfo,
    clientCapabilities,
    logLevel,
    isInitialized,
    subscribedUris: [...subscribedUris],
    mutedUris: [...mutedUris],
    rootsChanges,
  }
}

export function decodeState(stored: StoredSession): PeerState & { readonly handshake: Handshake } {
  const { protocolVersion, clientInfo, clientCapabilities, logLevel, isInitialized } = stored
  const revision = findRevision(protocolVersion) as Revision
  const handshake = { revision, clientInfo, clientCapabilities }
  const [subscribedUris, mutedUris] = [new Set(stored.subscribedUris), new Set(stored.mutedUris)]
  return { handshake, logLevel, isInitialized, subscribedUris, mutedUris, rootsChanges: stored.rootsChanges ?? 0 }
}

export function changeState<Stored extends StoredSession>(
  stored: Stored,
  change: (state: PeerState) => PeerState,
): Stored {
  const before = decodeState(stored)
  const after = change(before)
  return after === before ? stored : { ...stored, ...encodeState(after.handshake ?? before.handshake, after) }
}

/** Describes why a value of a store is not a session; `null` if it is. Sessions can be incomplete, or of another version. */
export function describeInvalidSession(value: unknown): string | null {
  if (!isJsonObject(value)) return 'it is not an object'
  const { owner, protocolVersion, clientInfo, clientCapabilities, logLevel, rootsChanges = 0 } = value
  if (owner !== null && typeof owner !== 'string') return 'its owner is not a string'
  if (typeof (value['caller'] ?? '') !== 'string') return 'its caller is not a string'
  if (findRevision(protocolVersion as string)?.era !== 'legacy') return 'its protocol version is unknown'
  if (clientInfo !== null && !isJsonObject(clientInfo)) return 'its client is not an object'
  if (!isJsonObject(clientCapabilities)) return 'its capabilities are not an object'
  if (typeof value['isInitialized'] !== 'boolean') return 'isInitialized is not a boolean'
  if (logLevel !== null && !isLoggingLevel(logLevel)) return 'its log level is unknown'
  // `mutedUris` is missing in sessions that older versions stored.
  const areTexts = isStringList(value['subscribedUris']) && isStringList(value['mutedUris'] ?? [])
  if (!areTexts) return 'its subscriptions are not a list of strings'
  if (!isJsonObject(value['lists'] ?? {})) return 'lists is not an object'
  return Number.isSafeInteger(rootsChanges) ? null : 'rootsChanges is not a count'
}
