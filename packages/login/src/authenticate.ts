import {
  AuthenticationError,
  type AuthenticationRequest,
  type Gauge,
  type Principal,
  ProtocolError,
} from '@toolwright/core'
import type { Provider } from 'oidc-provider'
import type { Resources } from './engine/normalize-request.js'
import { keyOf } from './secrets.js'
import type { Sessions } from './sessions.js'
import { setTokenSource } from './upstream-token.js'

interface KnownToken {
  readonly principal: Principal
  readonly grantId: string
  /** Milliseconds since the epoch. Until then, the store is not asked again. */
  until: number
}

/** The last token of a connection: comparing it is faster than hashing it. */
interface LastToken {
  readonly authorization: string
  readonly known: KnownToken
}

/** Time in milliseconds after which a session that ended on another node is noticed. */
const cachedMs = 15_000
const maxTokens = 10_000
const maxTokenLength = 200

export class LoginAuthenticator {
  readonly gauges: readonly Gauge[]
  readonly #known = new Map<string, KnownToken>()
  readonly #last = new WeakMap<object, LastToken>()

  constructor(
    private readonly engine: Provider,
    private readonly sessions: Sessions,
    private readonly resources: Resources,
    /** Returns the provider's token of a session; `null` if handlers do not get such tokens. */
    private readonly tokenOf: ((grantId: string) => Promise<string>) | null,
  ) {
    this.gauges = [
      {
        name: 'login_tokens_remembered',
        help: 'Valid tokens of the login in the cache',
        max: maxTokens,
        read: () => this.#known.size,
      },
    ]
  }

  authenticate({ headers, connection }: AuthenticationRequest): Principal | null | Promise<Principal> {
    const { authorization } = headers
    if (authorization === undefined) return null
    const last = connection === undefined ? undefined : this.#last.get(connection)
    if (last !== undefined && last.authorization === authorization && last.known.until > Date.now()) {
      return last.known.principal
    }
    const token = /^bearer +(\S+)$/i.exec(String(authorization))?.[1]
    if (token === undefined) return null
    const key = keyOf('token', token)
    const known = this.#known.get(key)
    if (known !== undefined && known.until > Date.now()) {
      if (connection !== undefined) this.#last.set(connection, { authorization: String(authorization), known })
      return known.principal
    }
    return this.#verify(key, token)
  }

  forget(grantId: string): void {
    for (const [key, known] of this.#known) {
      if (known.grantId === grantId) this.#drop(key)
    }
  }

  async #verify(key: string, token: string): Promise<Principal> {
    if (token.length > maxTokenLength) throw invalid('not a token of this login')
    try {
      const found = await this.#find(token)
      this.#remember(key, found)
      return found.principal
    } catch (error) {
      if (error instanceof AuthenticationError) throw error
      throw new ProtocolError('unavailable', 'Unavailable: the login cannot be checked, try again', { cause: error })
    }
  }

  async #find(token: string): Promise<KnownToken> {
    const found = await this.engine.AccessToken.find(token)
    if (found?.grantId === undefined) throw invalid('unknown, expired or revoked')
    const audiences = [found.aud].flat()
    if (!audiences.some((one) => one !== undefined && this.resources.find(one) !== undefined)) {
      throw invalid('for another server')
    }
    const session = await this.sessions.find(found.grantId)
    if (session === null) throw invalid('the session has ended')
    const expiresAt = found.exp as number
    const scopes = (found.scope ?? '').split(' ')
    const principal = this.sessions.principalOf(session, scopes, found.clientId as string, expiresAt)
    const { tokenOf } = this
    const { grantId } = found
    if (tokenOf !== null) setTokenSource(principal, () => tokenOf(grantId))
    return { principal, grantId, until: Math.min(expiresAt * 1000, Date.now() + cachedMs) }
  }

  #remember(key: string, known: KnownToken): void {
    this.#drop(key)
    const [oldest] = this.#known.size >= maxTokens ? this.#known.keys() : []
    if (oldest !== undefined) this.#drop(oldest)
    this.#known.set(key, known)
  }

  #drop(key: string): void {
    const known = this.#known.get(key)
    // A connection may still have it.
    if (known !== undefined) known.until = 0
    this.#known.delete(key)
  }
}

function invalid(reason: string): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: the access token is not valid', { reason })
}
