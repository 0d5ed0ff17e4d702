import * as oauth from 'oauth4webapi'
import { limitedFetch } from './limited-fetch.js'
import {
  type Claims,
  type LoginProvider,
  ProviderFailure,
  ProviderRejection,
  type ProviderTokens,
} from './login-provider.js'

/** Values of one login that only this server knows until the provider redirects back. */
export interface PendingLogin {
  readonly verifier: string
  readonly nonce: string
}

export interface ProviderLogin {
  readonly claims: Claims
  readonly tokens: ProviderTokens
}

const discoveryMs = 3_600_000

/** Claims about the ID token rather than about the user. */
const claimsOfToken = ['nonce', 'at_hash', 'c_hash', 'exp', 'iat', 'nbf', 'aud', 'azp', 'jti', 'sid']

/** Logs users in at the provider, as a confidential client with PKCE. */
export class UpstreamClient {
  readonly #client: oauth.Client
  readonly #authentication: oauth.ClientAuth
  #discovered: { readonly server: oauth.AuthorizationServer; readonly until: number } | undefined

  constructor(
    private readonly provider: LoginProvider,
    private readonly redirectUri: string,
  ) {
    const { clientId, clientSecret, clientAuthentication } = provider
    this.#client = { client_id: clientId, [oauth.clockTolerance]: 30 }
    const create = clientAuthentication === 'post' ? oauth.ClientSecretPost : oauth.ClientSecretBasic
    this.#authentication = create(clientSecret)
  }

  /** @throws ProviderFailure */
  async authorizationUrl(state: string, pending: PendingLogin, loginHint: string | undefined): Promise<URL> {
    const server = await this.#server()
    const { clientId, scopes, authorizeParameters } = this.provider
    const url = new URL(server.authorization_endpoint as string)
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: this.redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      ...(this.#hasIdTokens ? { nonce: pending.nonce } : {}),
      ...authorizeParameters,
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url
  }

  static newLogin(): PendingLogin {
    return { verifier: oauth.generateRandomCodeVerifier(), nonce: oauth.generateRandomNonce() }
  }

  /**
   * Exchanges the code of the callback for the user's claims.
   *
   * @throws ProviderRejection, ProviderFailure
   */
  async redeem(callback: URLSearchParams, state: string, pending: PendingLogin): Promise<ProviderLogin> {
    const server = await this.#server()
    return this.#attempt(async () => {
      const parameters = oauth.validateAuthResponse(server, this.#client, callback, state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        this.#authentication,
        parameters,
        this.redirectUri,
        pending.verifier,
        { ...this.#options, ...this.#scopesForCode() },
      )
      if (!this.#hasIdTokens) {
        return this.#withoutIdToken(await oauth.processAuthorizationCodeResponse(server, this.#client, response))
      }
      const expected = await this.#expectedServer(server, response)
      const tokens = await oauth.processAuthorizationCodeResponse(expected, this.#client, response, {
        expectedNonce: pending.nonce,
        requireIdToken: true,
      })
      return this.#withIdToken(server, tokens, undefined)
    })
  }

  /**
   * Asks the provider whether the user may still log in, and renews the tokens.
   *
   * @throws ProviderRejection, ProviderFailure
   */
  async renew({ claims, tokens }: ProviderLogin): Promise<ProviderLogin> {
    const { refreshToken } = tokens
    if (refreshToken === undefined) {
      // Without ID tokens, the claims themselves show whether the token is valid. Otherwise, nothing can be asked.
      return this.#hasIdTokens ? { claims, tokens } : this.#attempt(() => this.#readClaims(tokens))
    }
    const server = await this.#server()
    return this.#attempt(async () => {
      const options = { ...this.#options, ...this.#scopesForCode() }
      const response = await oauth.refreshTokenGrantRequest(
        server,
        this.#client,
        this.#authentication,
        refreshToken,
        options,
      )
      const expected = this.#hasIdTokens ? await this.#expectedServer(server, response) : server
      const renewed = await oauth.processRefreshTokenResponse(expected, this.#client, response)
      // A provider that does not rotate refresh tokens returns none.
      const kept = { refresh_token: refreshToken, ...renewed }
      if (!this.#hasIdTokens) return this.#withoutIdToken(kept)
      const idToken = oauth.getValidatedIdTokenClaims(renewed)
      if (idToken === undefined) return { claims, tokens: tokensOf(kept) }
      return this.#withIdToken(server, { ...kept, ...renewed }, claims['sub'], idToken)
    })
  }

  async revoke(tokens: ProviderTokens): Promise<void> {
    if (this.provider.revoke !== undefined) return this.provider.revoke(tokens, limitedFetch)
    const server = await this.#server()
    if (server.revocation_endpoint === undefined) return
    const token = tokens.refreshToken ?? tokens.accessToken
    await oauth.revocationRequest(server, this.#client, this.#authentication, token, this.#options)
  }

  get #hasIdTokens(): boolean {
    return this.provider.readClaims === undefined
  }

  get #options() {
    return {
      [oauth.customFetch]: (url: string, init: RequestInit) => this.#fetchTokens(url, init),
      // `http:` is accepted for this machine only: boot checks the URLs.
      [oauth.allowInsecureRequests]: true,
    }
  }

  #scopesForCode() {
    const { sendsScopesWithCode, scopes } = this.provider
    return sendsScopesWithCode === true ? { additionalParameters: { scope: scopes.join(' ') } } : {}
  }

  /** Repairs the response of the token endpoint. Some providers answer errors with status 200, or forms instead of JSON. */
  async #fetchTokens(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('accept', 'application/json')
    const response = await limitedFetch(url, { ...init, headers })
    const { repairTokenResponse } = this.provider
    if (repairTokenResponse === undefined || response.status !== 200) return response
    const body = repairTokenResponse((await response.json()) as Record<string, unknown>)
    return Response.json(body, { status: typeof body['error'] === 'string' ? 400 : 200 })
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    const { server } = this.provider
    if (typeof server !== 'string') return { ...server }
    const known = this.#discovered
    if (known !== undefined && known.until > Date.now()) return known.server
    try {
      const issuer = new URL(server)
      const response = await oauth.discoveryRequest(issuer, { ...this.#options, algorithm: 'oidc' })
      const found = await oauth.processDiscoveryResponse(issuer, response)
      this.#discovered = { server: found, until: Date.now() + discoveryMs }
      return found
    } catch (cause) {
      // The old document is better than none.
      if (known !== undefined) return known.server
      throw new ProviderFailure(`the metadata of ${server} cannot be read: ${messageOf(cause)}`, { cause })
    }
  }

  /** Returns the server with the issuer that the ID token must have, for a provider with one issuer for each tenant. */
  async #expectedServer(server: oauth.AuthorizationServer, response: Response): Promise<oauth.AuthorizationServer> {
    const { issuerOf } = this.provider
    if (issuerOf === undefined || response.status !== 200) return server
    const { id_token: token } = (await response.clone().json()) as { readonly id_token?: unknown }
    if (typeof token !== 'string') return server
    const issuer = issuerOf(payloadOf(token))
    if (issuer === null) throw new ProviderRejection('the tenant of the user is not accepted')
    return { ...server, issuer }
  }

  async #withIdToken(
    server: oauth.AuthorizationServer,
    response: oauth.TokenEndpointResponse,
    subject: unknown,
    given?: oauth.IDToken,
  ): Promise<ProviderLogin> {
    const idToken = given ?? oauth.getValidatedIdTokenClaims(response)
    if (idToken === undefined) throw new Error('the response has no ID token')
    if (subject !== undefined && idToken.sub !== subject) throw new ProviderRejection('the ID token is of another user')
    const more = await this.#userInfo(server, response.access_token, idToken.sub)
    const claims = Object.entries({ ...more, ...idToken }).filter(([name]) => !claimsOfToken.includes(name))
    return { claims: Object.fromEntries(claims), tokens: tokensOf(response) }
  }

  async #userInfo(server: oauth.AuthorizationServer, accessToken: string, subject: string): Promise<Claims> {
    if (this.provider.readsUserInfo !== true || server.userinfo_endpoint === undefined) return {}
    const response = await oauth.userInfoRequest(server, this.#client, accessToken, this.#options)
    return oauth.processUserInfoResponse(server, this.#client, subject, response)
  }

  #withoutIdToken(response: oauth.TokenEndpointResponse): Promise<ProviderLogin> {
    return this.#readClaims(tokensOf(response))
  }

  async #readClaims(tokens: ProviderTokens): Promise<ProviderLogin> {
    const read = this.provider.readClaims as NonNullable<LoginProvider['readClaims']>
    return { claims: await read(tokens.accessToken, readJson), tokens }
  }

  async #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw toProviderError(error)
    }
  }
}

async function readJson(url: string, accessToken: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'toolwright' }
  const response = await limitedFetch(url, { headers })
  if (response.status === 401) throw new ProviderRejection('the provider does not accept its access token any more')
  if (response.status !== 200)
    throw new ProviderFailure(`${new URL(url).origin} answered with status ${response.status}`)
  return response.json()
}

/** Only `invalid_grant` and `access_denied` say something about the user. All other errors are failures. */
function toProviderError(error: unknown): Error {
  if (error instanceof ProviderRejection || error instanceof ProviderFailure) return error
  const isRejection =
    (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') ||
    error instanceof oauth.AuthorizationResponseError
  const reason = error instanceof oauth.ResponseBodyError ? error.error : messageOf(error)
  const message = `the provider answered: ${reason}`
  return isRejection ? new ProviderRejection(message, { cause: error }) : new ProviderFailure(message, { cause: error })
}

function tokensOf({
  access_token: accessToken,
  refresh_token: refreshToken,
  expires_in: seconds,
}: oauth.TokenEndpointResponse): ProviderTokens {
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expiresAt: Date.now() + seconds * 1000 }),
  }
}

/** Reads the claims of a token without verifying them. */
function payloadOf(token: string): Claims {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return typeof claims === 'object' && claims !== null ? (claims as Claims) : {}
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
