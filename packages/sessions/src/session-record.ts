import { describeInvalidSession } from '@toolwright/core/extension'
import type { SessionRecord } from './session-store.js'

export function callerOf({ caller, owner }: SessionRecord): string {
  return caller ?? owner ?? ''
}

/** Validates a record of a store. The record can be incomplete, or written by another version. @throws Error */
export function readRecord(value: unknown, sessionId: string): SessionRecord {
  const diagnostic = describeInvalidSession(value) ?? findDiagnostic(value as SessionRecord, sessionId)
  if (diagnostic === null) return value as SessionRecord
  throw new Error(`The session store returned an invalid session: ${diagnostic}`)
}

function findDiagnostic({ sessionId, delivered, listensAt }: SessionRecord, id: string): string | null {
  if (sessionId !== id) return 'it has another id'
  if (typeof (listensAt ?? '') !== 'string') return 'listensAt is not a string'
  return Number.isSafeInteger(delivered) && delivered >= 0 ? null : 'delivered is not a count'
}
