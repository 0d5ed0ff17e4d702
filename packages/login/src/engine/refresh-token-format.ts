import type { Secrets } from '../secrets.js'

export interface ReadRefreshToken {
  readonly token: string
  readonly grantId: string
}

/**
 * Refresh tokens as clients see them: the token of the engine, the id of the session, and a signature. A signed token that the store
 * no longer has was used before. So used tokens need no storage, however often a client refreshes.
 */
export class RefreshTokenFormat {
  constructor(private readonly secrets: Secrets) {}

  show({ token, grantId }: ReadRefreshToken): string {
    const text = `${token}.${grantId}`
    return `${text}.${this.secrets.sign('tokens', text)}`
  }

  /** Reads a token; `null` for a value that this server has not issued. */
  read(shown: string): ReadRefreshToken | null {
    const [token, grantId, signature, ...others] = shown.split('.')
    if (token === undefined || grantId === undefined || signature === undefined || others.length > 0) return null
    return this.secrets.verify('tokens', `${token}.${grantId}`, signature) ? { token, grantId } : null
  }
}
