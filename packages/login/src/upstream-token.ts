import { AuthenticationError, type Principal, ProtocolError } from '@toolwright/core'
import { NotAllowed, type Session, type Sessions } from './sessions.js'
import { ProviderRejection } from './upstream/login-provider.js'

type Source = () => Promise<string>

/** Sources of tokens by the claims of principals: code that copies a principal keeps its claims. */
const sources = new WeakMap<object, Source>()

export function setTokenSource({ claims }: Principal, source: Source): void {
  sources.set(claims, source)
}

/**
 * Returns an access token of the provider, to call its APIs in the name of the caller. Renews a token that has expired, once for all
 * nodes. Needs `login({ keepUpstreamTokens: true })`.
 *
 * @throws AuthenticationError if the provider no longer accepts the user, who has to log in again.
 */
export async function upstreamToken({ principal }: { readonly principal: Principal | null }): Promise<string> {
  const source = principal === null ? undefined : sources.get(principal.claims)
  if (source !== undefined) return source()
  throw new Error(
    'upstreamToken: the caller has no session of a login with keepUpstreamTokens: true. Set this option, and require a login.',
  )
}

/** Milliseconds before its expiry at which a token is renewed, so that it is valid when the API gets it. */
const marginMs = 60_000

export function createTokenSource(sessions: Sessions, endSession: (grantId: string, reason: string) => Promise<void>) {
  return async (grantId: string): Promise<string> => {
    const session = await sessions.find(grantId)
    if (session === null) throw hasToLogIn()
    const { accessToken, expiresAt = Infinity } = session.tokens
    if (expiresAt - marginMs > Date.now()) return accessToken
    try {
      return (await renewed(sessions, grantId, session)).tokens.accessToken
    } catch (error) {
      if (error instanceof ProviderRejection || error instanceof NotAllowed) {
        await endSession(grantId, 'the provider no longer renews its token')
        throw hasToLogIn()
      }
      if (expiresAt > Date.now()) return accessToken
      throw new ProtocolError('unavailable', 'Unavailable: the provider cannot be asked, try again', { cause: error })
    }
  }
}

async function renewed(sessions: Sessions, grantId: string, { tokens }: Session): Promise<Session> {
  if (tokens.refreshToken === undefined) throw new ProviderRejection('the provider issued no refresh token')
  return sessions.renew(grantId)
}

function hasToLogIn(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Unauthorized: log in again', { reason: 'the session has ended' })
}
