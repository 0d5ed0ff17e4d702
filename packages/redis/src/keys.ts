import { hash } from 'node:crypto'

/** A name of one length for callers, whoever they are. */
export function hashOf(caller: string): string {
  return hash('sha256', caller, 'base64url')
}

/** Names of what is in Redis. Two servers with one prefix are one server. */
export class Keys {
  constructor(private readonly prefix: string) {}

  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(':')
  }

  session(sessionId: string): string {
    return this.of('session', sessionId)
  }

  /** How far the streams of a session are. */
  streams(sessionId: string): string {
    return this.of('streams', sessionId)
  }
}
