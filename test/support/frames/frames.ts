/** See judge.cjs. */
export interface Judge {
  readonly judged: number
  requestsAreHostile: boolean
  oneOf: number
  reset(): void
  exchanged(version: string, request: string, answer: string): void
  sent(version: string, json: string): void
  takeFaults(): readonly string[]
}

/** Validates frames on the wire. It lives as long as a test file, in its environment. */
export const { frames } = globalThis as unknown as { frames: Judge }

/**
 * For a test whose requests are invalid on purpose and served nevertheless: only messages of the server are validated.
 */
export function sendsHostileRequests(): void {
  frames.requestsAreHostile = true
}
