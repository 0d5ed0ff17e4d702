import { isLoggingLevel } from '../../../context/logging-level.js'
import { principalKey } from '../../../context/principal.js'
import type { Recipient } from '../../../context/viewer.js'
import { isStringList } from '../../../options/kinds.js'
import { isJsonObject } from '../../../rpc/messages.js'
import { type Handshake, initialState, type PeerState } from '../../peer.js'
import { findRevision, type Revision } from '../../revisions.js'
import type { SessionRecord } from './session-store.js'

export interface Opener extends Recipient {
  readonly caller: string
}

/** Returns the key of a session's caller, for limits per caller. */
export function callerOf({ caller, owner }: SessionRecord): string {
  return caller ?? owner ?? ''
}

export function createRecord(
  sessionId: string,
  { principal, caller }: Opener,
  handshake: Handshake,
  lists: Required<SessionRecord>['lists'],
): SessionRecord {
  const owner = principalKey(principal)
  return { sessionId, owner, caller, delivered: 0, lists, ...encodeState(initialState, handshake) }
}

export function changeRecord(record: SessionRecord, change: (state: PeerState) => PeerState): SessionRecord {
  const before = decodeState(record)
  const after = change(before)
  return after === before ? record : { ...record, ...encodeState(after, after.handshake ?? before.handshake) }
}

export function decodeState(record: SessionRecord): PeerState & { readonly handshake: Handshake } {
  const { protocolVersion, clientInfo, clientCapabilities, logLevel, isInitialized } = record
  const revision = findRevision(protocolVersion) as Revision
  const handshake = { revision, clientInfo, clientCapabilities }
  const [subscribedUris, mutedUris] = [new Set(record.subscribedUris), new Set(record.mutedUris)]
  return { handshake, logLevel, isInitialized, subscribedUris, mutedUris, rootsChanges: record.rootsChanges ?? 0 }
}

function encodeState(state: PeerState, handshake: Handshake) {
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

/** Validates a record of a store. The record can be incomplete, or written by another version. @throws Error */
export function readRecord(value: unknown, sessionId: string): SessionRecord {
  const diagnostic = isJsonObject(value)
    ? findDiagnostic(value as unknown as SessionRecord, sessionId)
    : 'it is not an object'
  if (diagnostic === null) return value as SessionRecord
  throw new Error(`The session store returned an invalid session: ${diagnostic}`)
}

function findDiagnostic(record: SessionRecord, sessionId: string): string | null {
  const { owner, protocolVersion, clientInfo, clientCapabilities, logLevel, delivered, rootsChanges = 0 } = record
  if (record.sessionId !== sessionId) return 'it has another id'
  if (owner !== null && typeof owner !== 'string') return 'its owner is not a string'
  if (typeof (record.caller ?? '') !== 'string') return 'its caller is not a string'
  if (findRevision(protocolVersion)?.era !== 'legacy') return 'its protocol version is unknown'
  if (clientInfo !== null && !isJsonObject(clientInfo)) return 'its client is not an object'
  if (!isJsonObject(clientCapabilities)) return 'its capabilities are not an object'
  if (typeof record.isInitialized !== 'boolean') return 'isInitialized is not a boolean'
  if (logLevel !== null && !isLoggingLevel(logLevel)) return 'its log level is unknown'
  // `mutedUris` is missing in sessions that older versions stored.
  const areTexts = isStringList(record.subscribedUris) && isStringList(record.mutedUris ?? [])
  if (!areTexts) return 'its subscriptions are not a list of strings'
  if (typeof (record.listensAt ?? '') !== 'string') return 'listensAt is not a string'
  if (!isJsonObject(record.lists ?? {})) return 'lists is not an object'
  if (!Number.isSafeInteger(rootsChanges)) return 'rootsChanges is not a count'
  return Number.isSafeInteger(delivered) && delivered >= 0 ? null : 'delivered is not a count'
}
