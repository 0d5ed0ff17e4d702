import type { SessionRecord } from '@toolwright/sessions'

/** A new session. */
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
