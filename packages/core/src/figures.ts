/** How much there is of something that is bounded, and how much there may be. */
export interface Figure {
  readonly value: number
  readonly max: number
}

/** How far a server is from its limits at one moment. */
export interface Figures {
  /** Requests that are being served. */
  readonly inFlight: Figure
  /** Legacy HTTP sessions. */
  readonly sessions: Figure
  /** Modern subscriptions. */
  readonly subscriptions: Figure
  /** Tasks whose handlers run in this process. */
  readonly runningTasks: Figure
  /** Bytes of events that are kept for clients which come back; `null` with an event store of the application's own. */
  readonly storedEventBytes: Figure | null
  /** Requests that were refused since the start because too many were in flight. */
  readonly refusedRequests: number
}

export interface Counted {
  readonly inFlight: { readonly count: number; readonly refused: number }
  readonly sessions: number
  readonly subscriptions: number
  readonly runningTasks: number
  readonly storedEventBytes: number | null
}

/** Those of the server's limits that figures come near. */
export interface FigureLimits {
  readonly maxInFlight: number
  readonly maxSessions: number
  readonly maxSubscriptions: number
  readonly maxTasks: number
  readonly maxTotalStoredBytes: number
}

export function readFigures(counted: Counted, limits: FigureLimits): Figures {
  const { inFlight, sessions, subscriptions, runningTasks, storedEventBytes } = counted
  return {
    inFlight: { value: inFlight.count, max: limits.maxInFlight },
    sessions: { value: sessions, max: limits.maxSessions },
    subscriptions: { value: subscriptions, max: limits.maxSubscriptions },
    runningTasks: { value: runningTasks, max: limits.maxTasks },
    storedEventBytes: storedEventBytes === null ? null : { value: storedEventBytes, max: limits.maxTotalStoredBytes },
    refusedRequests: inFlight.refused,
  }
}
