import type { SessionRecord } from '@toolwright/core'

/** A session that was just opened. */
export function sessionRecord(sessionId: string, caller = 'somebody'): SessionRecord {
  return {
    sessionId,
    owner: null,
    caller,
    protocolVersion: '2025-11-25',
    clientInfo: null,
    clientCapabilities: {},
    isInitialized: false,
    logLevel: null,
    subscribedUris: [],
    mutedUris: [],
    delivered: 0,
  }
}
