import { hash } from 'node:crypto'

export function hashOf(caller: string): string {
  return hash('sha256', caller, 'base64url')
}

/**
 * Names of keys and channels. Servers with the same prefix share everything. A cluster stores keys with the same string
 * in braces on the same node. A script that changes several keys requires them on one node.
 */
export class Keys {
  constructor(private readonly prefix: string) {}

  of(...parts: readonly string[]): string {
    return this.prefix + parts.join(':')
  }

  in(tag: string, name: string): string {
    // The braces come first, so that an unclosed brace in the prefix has no effect.
    return `${this.prefix}{${tag}}:${name}`
  }

  session(sessionId: string): string {
    return this.in(sessionId, 'session')
  }

  streams(sessionId: string): string {
    return this.in(sessionId, 'streams')
  }
}
