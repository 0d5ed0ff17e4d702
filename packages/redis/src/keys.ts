import { hash } from 'node:crypto'

/** Hashes a caller to a name of fixed length. */
export function hashOf(caller: string): string {
  return hash('sha256', caller, 'base64url')
}

/**
 * Names of keys and channels. Servers with the same prefix share everything. A cluster stores keys with the same string
 * in braces on the same node. A script that changes several keys requires them on one node.
 */
export class Keys {
  constructor(private readonly prefix: string) {}

  /** Returns the name of a channel, or of a key that no script changes together with others. */
  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(':')
  }

  /** Returns a key of one session or task, or of the counts of all sessions or tasks. */
  in(tag: string, name: string): string {
    // The braces come first, so that an unclosed brace in the prefix has no effect.
    return `${this.prefix}{${tag}}:${name}`
  }

  session(sessionId: string): string {
    return this.in(sessionId, 'session')
  }

  /** Returns the key of the positions that the streams of a session have reached. */
  streams(sessionId: string): string {
    return this.in(sessionId, 'streams')
  }
}
