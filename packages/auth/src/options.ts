import type { AuthenticationScheme, ProofStore } from '@toolwright/core'
import type { JSONWebKeySet } from 'jose'

/** What clients are told about the server whose tokens are checked (RFC 9728). */
export interface ProtectedResourceOptions {
  /**
   * The server's URL as clients know it, such as `https://mcp.example.com/mcp`. Clients find out there who issues tokens
   * for it. `false`: clients are told nothing. Default: the first audience that is a URL.
   */
  readonly resource?: string | false
  /** Who issues tokens for the server, as URLs. Default: the issuers. */
  readonly authorizationServers?: readonly string[]
  /** Scopes that a client asks for at first, if not every request needs one. Default: none. */
  readonly scopesSupported?: readonly string[]
  /** Scopes that every request needs; without them it gets 403. Default: none. */
  readonly requiredScopes?: readonly string[]
  /** The server's name for people. */
  readonly resourceName?: string
  /** Where developers read about it. */
  readonly resourceDocumentation?: string
}

/** What clients are told about the server and its credentials, and the scopes that all of them need. */
export interface AuthenticateWithOptions extends ProtectedResourceOptions {
  /** What challenges ask for. Default: `Bearer`. */
  readonly scheme?: AuthenticationScheme
}

/** Which claims of a token make the principal. A list of names leads to a claim within others. */
export interface ClaimOptions {
  /** Default: `sub`. */
  readonly subjectClaim?: string | readonly string[]
  /** Default: `roles`. Keycloak: `['realm_access', 'roles']`. */
  readonly rolesClaim?: string | readonly string[]
  /** A text with spaces, or a list. Default: `scope`, or else `scp`. */
  readonly scopesClaim?: string | readonly string[]
}

/** About tokens that are bound to a key of the client (RFC 9449), which always need a proof. */
export interface DpopOptions {
  /** Refuses tokens that are not bound. Default: false. */
  readonly required?: boolean
  /** Seconds for which a proof is valid. At most 300. Default: 60. */
  readonly maxAgeSeconds?: number
  /** Proofs that are remembered, so that none is used twice. When there is no room, the answer is 503. Default: 100,000. */
  readonly maxProofs?: number
  /** Where proofs are remembered. Processes that serve the same clients should share one. Default: the memory of this process. */
  readonly proofStore?: ProofStore
}

/** What is remembered of tokens, so that the next request with a token costs microseconds. */
export interface TokenCacheOptions {
  /**
   * Seconds, and never beyond the token's expiry. 0: every request is checked anew. Default: 60 for JWTs, otherwise 30.
   */
  readonly ttlSeconds?: number
  /** How many tokens. When there is no room, the oldest goes. Default: 10,000. */
  readonly maxTokens?: number
}

/** Somebody who issues tokens. */
export interface IssuerOptions {
  /** Exactly as in the tokens' `iss`. */
  readonly issuer: string
  /** The URL of its keys, or the keys. Default: the issuer's metadata says where they are. */
  readonly jwks?: string | URL | JSONWebKeySet
}

/** How keys are fetched, and for how long they are used. */
export interface KeyFetchOptions {
  /** Seconds after which keys are fetched anew. Default: 600. */
  readonly maxAgeSeconds?: number
  /** Seconds for which keys go on being used after that, when they cannot be fetched. Default: 3,600. */
  readonly staleSeconds?: number
  /** Seconds until the next fetch, after one that failed or did not bring the key of a token. Default: 30. */
  readonly cooldownSeconds?: number
}

/** Signatures with a key of which everybody may know the public half. */
export type SignatureAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'

/** How signed access tokens are checked. */
export interface JwtBearerOptions extends ProtectedResourceOptions, ClaimOptions {
  /** Who issues the tokens: exactly as in their `iss`. For several, give `issuers`. */
  readonly issuer?: string
  /** The URL of the issuer's keys, or the keys. Default: the issuer's metadata says where they are (RFC 8414). */
  readonly jwks?: string | URL | JSONWebKeySet
  /** Who issues the tokens, where there are several. Instead of `issuer` and `jwks`. */
  readonly issuers?: readonly IssuerOptions[]
  /** Who the tokens are for: one of these has to be in their `aud`. */
  readonly audience: string | readonly string[]
  /** Signatures that are accepted. Default: RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly SignatureAlgorithm[]
  /** Seconds by which clocks may differ. At most 300. Default: 30. */
  readonly clockToleranceSeconds?: number
  /** How long a verified token is remembered. Default: 60 seconds. */
  readonly cache?: TokenCacheOptions
  /** How keys are fetched from a URL. */
  readonly keys?: KeyFetchOptions
  /** About tokens that are bound to a key of the client. */
  readonly dpop?: DpopOptions
}

/** How an issuer is asked about tokens. */
export interface IntrospectionOptions extends ProtectedResourceOptions, ClaimOptions {
  /** The URL that tells about tokens (RFC 7662). Default: the issuer's metadata says where it is (RFC 8414). */
  readonly endpoint?: string | URL
  /** The id that this server has at the issuer. */
  readonly clientId: string
  /** Sent as HTTP Basic authentication, and never logged. */
  readonly clientSecret: string
  /** Who the tokens are for: one of these must be in `aud`. `false`: the endpoint knows only tokens for this server. */
  readonly audience: string | readonly string[] | false
  /** Who issues the tokens. An answer with another `iss` is refused. */
  readonly issuer: string
  /** Seconds by which clocks may differ. At most 300. Default: 30. */
  readonly clockToleranceSeconds?: number
  /** How long an answer is used. A revoked token works for that long. Default: 30 seconds. */
  readonly cache?: TokenCacheOptions
  /** About tokens that are bound to a key of the client. */
  readonly dpop?: DpopOptions
  /** Questions to the endpoint at once; beyond that, callers get 503. Default: 50. */
  readonly maxConcurrent?: number
}

/** A key, and whose it is. */
export interface ApiKey {
  /** At least 16 characters. */
  readonly key?: string
  /** The key's SHA-256 in hexadecimal, instead of the key. */
  readonly sha256?: string
  /** Whose key it is: `principal.subject`. */
  readonly subject: string
  /** Default: none. */
  readonly roles?: readonly string[]
  /** Default: none. */
  readonly scopes?: readonly string[]
  /** What else handlers may want to know of the owner, as JSON: `principal.claims`. Default: nothing. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Which keys are good. */
export interface ApiKeyOptions {
  /** Every key that is good. */
  readonly keys: readonly ApiKey[]
  /** Header that holds the key; `authorization` means `Authorization: Bearer KEY`. Default: `x-api-key`. */
  readonly header?: string
}
