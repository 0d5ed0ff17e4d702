import { type Claims, type LoginProvider, ProviderFailure } from '../upstream/login-provider.js'
import { type ProviderOptions, registrationOf } from './oidc.js'

export interface GithubOptions extends ProviderOptions {
  /** URL of GitHub Enterprise Server. Default: `https://github.com`. */
  readonly url?: string
}

/**
 * GitHub, with an OAuth app or a GitHub App. The claims are those of `GET /user`, such as `login`; the subject is the number of the
 * user, which never changes.
 */
export function github(options: GithubOptions): LoginProvider {
  const { url = 'https://github.com', scopes = ['read:user', 'user:email'], clientId, clientSecret } = options
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
  return {
    ...registrationOf(options),
    preset: 'github',
    name: 'GitHub',
    server: {
      issuer: url,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    scopes,
    clientAuthentication: 'post',
    readClaims: async (accessToken, get) => {
      const user = (await get(`${api}/user`, accessToken)) as Claims | null
      if (typeof user?.['id'] !== 'number') throw new ProviderFailure('GET /user returned no id')
      return { ...user, sub: String(user['id']), iss: url }
    },
    // Errors have status 200, and scopes are separated by commas.
    repairTokenResponse: (body) => {
      if (typeof body['error'] === 'string') {
        const isOver = ['bad_refresh_token', 'bad_verification_code', 'expired_token'].includes(body['error'])
        return { ...body, error: isOver ? 'invalid_grant' : body['error'] }
      }
      const scope = typeof body['scope'] === 'string' ? body['scope'].split(/[,\s]+/).join(' ') : undefined
      return { ...body, ...(scope === undefined ? {} : { scope }) }
    },
    revoke: async ({ accessToken }, send) => {
      const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
      await send(`${api}/applications/${encodeURIComponent(clientId)}/token`, {
        method: 'DELETE',
        headers: {
          authorization: `Basic ${credentials}`,
          accept: 'application/vnd.github+json',
          'content-type': 'application/json',
          'user-agent': 'toolwright',
        },
        body: JSON.stringify({ access_token: accessToken }),
      })
    },
  }
}
