/** Claims about a user, as the provider sends them. */
export type Claims = Readonly<Record<string, unknown>>

/** Endpoints of a provider without a discovery document. */
export interface ProviderEndpoints {
  /** Issuer of ID tokens, or the URL that identifies the provider. */
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint?: string
  readonly userinfo_endpoint?: string
}

/** Tokens of the provider. They stay encrypted in the store. */
export interface ProviderTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Expiry of the access token in milliseconds since the epoch, if the provider names one. */
  readonly expiresAt?: number
}

/**
 * A provider that users log in with. Create it with a preset, such as `github({ … })`, or with `oidc({ … })`.
 */
export interface LoginProvider {
  /** Name on the pages: `GitHub`. */
  readonly name: string
  /** Name of the preset, for messages: `github`. */
  readonly preset: string
  /** The issuer, whose endpoints are discovered, or the endpoints. */
  readonly server: string | ProviderEndpoints
  readonly clientId: string
  readonly clientSecret: string
  /** Mistakes in the options of the preset, for the boot. */
  readonly faults?: readonly string[]
  /** Scopes requested from the provider. They differ from the scopes of the MCP server. */
  readonly scopes: readonly string[]
  /** How the client secret is sent. Default: `basic`. */
  readonly clientAuthentication?: 'basic' | 'post'
  /** Further parameters of the authorization request, such as `prompt`. */
  readonly authorizeParameters?: Readonly<Record<string, string>>
  /** Whether the scopes are also sent with the code and the refresh token. */
  readonly sendsScopesWithCode?: boolean
  /** Whether the claims of the UserInfo endpoint are read, too. */
  readonly readsUserInfo?: boolean
  /** Claim with the subject. Default: `sub`. */
  readonly subjectClaim?: string
  /** Claim with the roles. Default: `roles`. */
  readonly rolesClaim?: string
  /**
   * Reads the claims with the access token, for a provider without ID tokens.
   *
   * @throws ProviderRejection if the token is no longer valid.
   */
  readonly readClaims?: (accessToken: string, get: ReadJson) => Promise<Claims>
  /** Repairs the response of the token endpoint before it is checked. */
  readonly repairTokenResponse?: (body: Record<string, unknown>) => Record<string, unknown>
  /**
   * Returns the issuer of an ID token whose issuer depends on its claims.
   *
   * @returns `null` if users with these claims may not log in.
   */
  readonly issuerOf?: (claims: Claims) => string | null
  /** Revokes a token at a provider without a standard revocation endpoint. */
  readonly revoke?: (tokens: ProviderTokens, send: SendRequest) => Promise<void>
  /** Warns of claims that are incomplete, such as groups that were left out; `null` if the claims are complete. */
  readonly describeGaps?: (claims: Claims) => string | null
}

export type ReadJson = (url: string, accessToken: string) => Promise<unknown>

/** Sends a request to the provider within the time limit. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>

/** The provider does not accept the user any more: the session ends. */
export class ProviderRejection extends Error {}

/** The provider cannot be asked. Nothing is known about the user: the session continues. */
export class ProviderFailure extends Error {}
