import { hash } from 'node:crypto'

/** A name of one length for callers, whoever they are. */
export function hashOf(caller: string): string {
  return hash('sha256', caller, 'base64url')
}

/**
 * Names of what is in Redis. Two servers with one prefix are one server. A cluster keeps keys with one text in braces on one
 * node, which a script needs that changes several of them.
 */
export class Keys {
  constructor(private readonly prefix: string) {}

  /** A key or channel that no script changes together with others. */
  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(':')
  }

  /** A key of one session, of one task, or of what counts all of them. */
  in(tag: string, name: string): string {
    // The braces come first, so that one in the prefix which is never closed changes nothing.
    return `${this.prefix}{${tag}}:${name}`
  }

  session(sessionId: string): string {
    return this.in(sessionId, 'session')
  }

  /** Places that the streams of a session have reached. */
  streams(sessionId: string): string {
    return this.in(sessionId, 'streams')
  }
}
