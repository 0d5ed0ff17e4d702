import { types } from 'node:util'
import type { AuthenticationScheme, ProofStore } from '@toolwright/core'
import {
  custom,
  type Diagnostics,
  flag,
  isObject,
  kind,
  nested,
  number,
  type Option,
  type OptionRows,
  type OptionsOf,
  oneOf,
  required,
  text,
  unchecked,
  withMethods,
} from '@toolwright/core/options'
import type { JSONWebKeySet } from 'jose'
import { checkAlgorithms, checkScopes, checkSupportedScopes } from './check-options.js'
import { checkClaimPath, checkClaimPaths } from './claim-paths.js'

const url = 'a URL'

export const resourceOptions = {
  /**
   * The server's public URL, such as `https://mcp.example.com/mcp`. The metadata names the URL and the issuers.
   * `false`: no metadata is served. Default: the first audience that is a URL.
   */
  resource: unchecked<string | false>('a URL, or `false`'),
  /** URLs of the authorization servers that issue tokens for the server. Default: the issuers. */
  authorizationServers: words('URLs', undefined),
  /**
   * Scopes that the metadata lists. Without `requiredScopes`, clients first request these scopes. Omit scopes that
   * clients request in a step-up. Default: none.
   * @see docs/how-to/authorize-callers.md#the-access-matrix
   */
  scopesSupported: custom<readonly string[]>('`string[]`', checkSupportedScopes),
  /**
   * Scopes that every request needs, granted directly or by `impliedScopes`. Other requests get `403`. Default: none.
   */
  requiredScopes: custom<readonly string[], readonly string[]>('`string[]`', checkScopes, { default: [] }),
  /** Display name of the server. */
  resourceName: text({ pattern: /./s, fix: 'Give a display name.' }),
  /** Page where developers read about the server. */
  resourceDocumentation: kind<string, undefined>(url, 'Give the URL of a page.', (given) =>
    URL.canParse(String(given)),
  ),
}

/** Options of the resource metadata (RFC 9728), which describes the server to clients. */
export interface ProtectedResourceOptions extends OptionsOf<typeof resourceOptions> {}

export const authenticateWithOptions = {
  ...resourceOptions,
  /** The scheme of challenges. Default: `Bearer`. */
  scheme: unchecked<AuthenticationScheme>('`AuthenticationScheme`'),
}

/** Options of `authenticateWith`: resource metadata, required scopes and the scheme of challenges. */
export interface AuthenticateWithOptions extends OptionsOf<typeof authenticateWithOptions> {}

export const claimOptions = {
  /** Claim with the subject. Default: `sub`. */
  subjectClaim: claim('sub'),
  /**
   * Claim with the roles: an array, or a space-separated string. Keycloak: `['realm_access', 'roles']`. Several claims:
   * `[['roles'], ['groups']]`. Default: `roles`.
   */
  rolesClaim: claims('roles'),
  /**
   * Claim with the scopes: an array, or a space-separated string. Several claims: `[['scope'], ['permissions']]`. Default:
   * `scope`, or else `scp`.
   */
  scopesClaim: claims(undefined),
}

/**
 * Names of the claims with the principal's subject, roles and scopes. An array of names is the path to a nested claim. An
 * array of paths unites several claims.
 */
export interface ClaimOptions extends OptionsOf<typeof claimOptions> {}

const maxToleranceSeconds = 300

export const dpopOptions = {
  /** Whether tokens must be bound to a key of the client. Default: false. */
  required: flag({ default: false }),
  /** Lifetime of a proof in seconds. Default: 60. */
  maxAgeSeconds: number({ type: 'seconds, up to 300', default: 60, max: maxToleranceSeconds }),
  /** Maximum number of stored proofs. Requests with further proofs get 503. Default: 100,000. */
  maxProofs: number({ default: 100_000 }),
  /**
   * Store of used proofs. Several processes need a shared store, such as one in Redis. Default: `InMemoryProofStore`.
   * @see docs/reference/redis.md
   */
  proofStore: withMethods<ProofStore>('`ProofStore`', ['use']),
}

/** Options of tokens that are bound to a key of the client (RFC 9449). Such tokens always need a proof. */
export interface DpopOptions extends OptionsOf<typeof dpopOptions> {}

export const cacheOptions = {
  /**
   * Seconds for which a verified token is cached, at most until its expiry. A revoked token stays valid while cached.
   * `0`: no cache. Default: 60; 30 with introspection.
   */
  ttlSeconds: number({ type: 'seconds, 0 to 3600', min: 0, max: 3600 }),
  /** Maximum number of tokens. A full cache drops the oldest token. Default: 10,000. */
  maxTokens: number({ default: 10_000, min: 0 }),
}

/** Options of the token cache. A request with a cached token is authenticated in microseconds. */
export interface TokenCacheOptions extends OptionsOf<typeof cacheOptions> {}

export const issuerOptions = {
  /** The issuer, exactly as in the `iss` of its tokens. */
  issuer: required(unchecked<string>('`string`')),
  /** The URL of the issuer's keys, or the keys. Default: from the issuer's metadata. */
  jwks: unchecked<string | URL | JSONWebKeySet>('a URL or `JSONWebKeySet`'),
}

export interface IssuerOptions extends OptionsOf<typeof issuerOptions> {}

export const keyFetchOptions = {
  /** Seconds until keys are fetched again, in the background. Default: 600. */
  maxAgeSeconds: number({ type: 'seconds', default: 600 }),
  /** Seconds after `maxAgeSeconds` for which the old keys stay valid if a fetch fails. Default: 3,600. */
  staleSeconds: number({ type: 'seconds', default: 3600 }),
  /** Minimum seconds between fetches if a fetch fails or returns no matching key. Default: 30. */
  cooldownSeconds: number({ type: 'seconds', default: 30 }),
}

/** Options of the key fetcher: when keys are fetched, and for how long they are used. */
export interface KeyFetchOptions extends OptionsOf<typeof keyFetchOptions> {}

export const tokenOptions = {
  /** Tolerated difference between clocks, in seconds. Default: 30. */
  clockToleranceSeconds: kind<number, number>(
    'seconds, 0 to 300',
    `Tokens would be valid that much longer than their issuer intended. Give 0 to ${maxToleranceSeconds}, and synchronize ` +
      'the clocks.',
    (given) => typeof given === 'number' && given >= 0 && given <= maxToleranceSeconds,
    { default: 30 },
  ),
  /**
   * Cache of verified tokens. Default: `{}`.
   * @see docs/reference/authentication.md#token-cache
   */
  cache: nestedSecrets(cacheOptions, '`TokenCacheOptions`'),
  /**
   * DPoP proofs for tokens that are bound to a key of the client. Default: `{}`.
   * @see docs/reference/authentication.md#proofs
   */
  dpop: nestedSecrets(dpopOptions, '`DpopOptions`'),
}

/** Signature algorithms with a public key. */
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

type Algorithms = readonly SignatureAlgorithm[]

export const jwtOnlyOptions = {
  /** Issuer of the tokens, exactly as in their `iss`. Default: none; required without `issuers`. */
  issuer: unchecked<string>('`string`'),
  /**
   * The URL of the issuer's keys, or the keys. Default: from the issuer's metadata (RFC 8414).
   * @see docs/reference/authentication.md#the-issuers-metadata
   */
  jwks: unchecked<string | URL | JSONWebKeySet>('a URL or `JSONWebKeySet`'),
  /** Several issuers, each with `issuer` and `jwks`. Replaces the options `issuer` and `jwks`. */
  issuers: unchecked<readonly IssuerOptions[]>('`IssuerOptions[]`'),
  /**
   * The server's audience. At least one value must be in a token's `aud`. Use `false`, with `clients`, only if the issuer's
   * access tokens have no `aud`.
   */
  audience: required(unchecked<string | readonly string[] | false>('a string, or several, or `false`')),
  /**
   * Client ids, of which one must be the token's `client_id`, `azp` or `cid`. `'any'`: each token with a `client_id`, which session
   * tokens of an issuer lack. Default: every token of the issuer.
   */
  clients: kind<readonly string[] | 'any', readonly string[]>(
    "`string[]` or `'any'`",
    "Give an array of strings, or 'any'.",
    (given) => given === 'any' || isWords(given),
    { default: [] },
  ),
  /**
   * Accepted signature algorithms: `RS`, `PS` or `ES` with `256`, `384` or `512`, `EdDSA`, `Ed25519`. Default: `RS256`,
   * `PS256`, `ES256`, `EdDSA`, `Ed25519`.
   */
  algorithms: custom<Algorithms, Algorithms>('`SignatureAlgorithm[]`', checkAlgorithms, {
    default: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
  }),
  /**
   * How keys are fetched from a URL. Default: `{}`.
   * @see docs/reference/authentication.md#how-keys-are-fetched
   */
  keys: nestedSecrets(keyFetchOptions, '`KeyFetchOptions`'),
}

export const jwtOptions = { ...jwtOnlyOptions, ...tokenOptions, ...claimOptions, ...resourceOptions }

/** Options of `jwtBearer`, which checks signed access tokens. */
export interface JwtBearerOptions extends OptionsOf<typeof jwtOptions> {}

export const introspectionOnlyOptions = {
  /**
   * URL of the introspection endpoint (RFC 7662). Default: from the issuer's metadata (RFC 8414).
   * @see docs/reference/authentication.md#the-issuers-metadata
   */
  endpoint: unchecked<string | URL>(url),
  /** The client id of this server at the issuer. */
  clientId: required(text({ pattern: /./s, fix: 'Give the client id of this server at the issuer.' })),
  /** The client secret. */
  clientSecret: required(unchecked<string>('`string`')),
  /** How id and secret are sent: `basic` as HTTP Basic authentication, `post` in the form. Default: `basic`. */
  clientAuthentication: oneOf(['basic', 'post'], { default: 'basic' }),
  /** Issuer of the tokens. A response with another `iss` is rejected. */
  issuer: required(unchecked<string>('`string`')),
  /**
   * The server's audience. At least one value must be in `aud`. Use `false` only if the introspection endpoint
   * rejects tokens for other servers.
   */
  audience: required(unchecked<string | readonly string[] | false>('a string, or several, or `false`')),
  /**
   * Pattern of the issuer's tokens, such as `/^ory_at_/`. Other tokens are rejected, and not sent to the issuer. Default:
   * all tokens, except JWTs of other issuers.
   */
  accepts: kind<RegExp, undefined>(
    '`RegExp`',
    'Give a regular expression without the flags g and y.',
    (given) => types.isRegExp(given) && !given.global && !given.sticky,
  ),
  /** Maximum number of concurrent requests to the endpoint. Further callers get `503`. Default: 50. */
  maxConcurrent: number({ default: 50 }),
}

export const introspectionOptions = {
  ...introspectionOnlyOptions,
  ...tokenOptions,
  ...claimOptions,
  ...resourceOptions,
}

/** Options of `introspection`, which checks tokens by requests to their issuer. */
export interface IntrospectionOptions extends OptionsOf<typeof introspectionOptions> {}

export function words<Default extends readonly string[] | undefined>(type: string, missing: Default) {
  return kind<readonly string[], Default>(type, 'Give an array of strings.', isWords, { default: missing })
}

function isWords(given: unknown): boolean {
  return Array.isArray(given) && given.every((one) => typeof one === 'string' && one !== '')
}

type ClaimPath = string | readonly string[]

function claim<Default extends string | undefined>(missing: Default) {
  return custom<ClaimPath, Default>('a name, or several', checkClaimPath, { default: missing })
}

function claims<Default extends string | undefined>(missing: Default) {
  return custom<ClaimPath | readonly (readonly string[])[], Default>('a name, or several', checkClaimPaths, {
    default: missing,
  })
}

/** Creates a group of options. Messages omit a wrong value, because a key could have been passed by mistake. */
function nestedSecrets<Rows extends OptionRows>(rows: Rows, type: string) {
  const option = nested(rows, { type })
  const read: typeof option.read = (given: unknown, name: string, diagnostics: Diagnostics) => {
    if (isObject(given)) return option.read(given, name, diagnostics)
    diagnostics.add('bad-option', `${name} is not an object. Give one.`)
    return option.default as ReturnType<typeof option.read>
  }
  return { ...option, read } satisfies Option<unknown, unknown>
}
