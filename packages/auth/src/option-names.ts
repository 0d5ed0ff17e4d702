import { checkNames, type Diagnostics, type NamesOf } from '@toolwright/core/internal'
import type {
  ApiKey,
  ApiKeyOptions,
  AuthenticateWithOptions,
  DpopOptions,
  IntrospectionOptions,
  IssuerOptions,
  JwtBearerOptions,
  KeyFetchOptions,
  ProtectedResourceOptions,
  TokenCacheOptions,
} from './options.js'

const apiKeys: NamesOf<ApiKeyOptions> = { keys: true, header: true }
const apiKey: NamesOf<ApiKey> = { key: true, sha256: true, subject: true, roles: true, scopes: true, claims: true }
const cache: NamesOf<TokenCacheOptions> = { ttlSeconds: true, maxTokens: true }
const dpop: NamesOf<DpopOptions> = { required: true, maxAgeSeconds: true, maxProofs: true, proofStore: true }
const issuer: NamesOf<IssuerOptions> = { issuer: true, jwks: true }
const keys: NamesOf<KeyFetchOptions> = { maxAgeSeconds: true, staleSeconds: true, cooldownSeconds: true }

const resource: NamesOf<ProtectedResourceOptions> = {
  resource: true,
  authorizationServers: true,
  scopesSupported: true,
  requiredScopes: true,
  resourceName: true,
  resourceDocumentation: true,
}

type SharedOptions = Pick<JwtBearerOptions, keyof JwtBearerOptions & keyof IntrospectionOptions>

const shared: NamesOf<SharedOptions> = {
  ...resource,
  subjectClaim: true,
  rolesClaim: true,
  scopesClaim: true,
  issuer: true,
  audience: true,
  clockToleranceSeconds: true,
  cache: true,
  dpop: true,
}

const jwtBearer: NamesOf<JwtBearerOptions> = { ...shared, jwks: true, issuers: true, algorithms: true, keys: true }

const introspection: NamesOf<IntrospectionOptions> = {
  ...shared,
  endpoint: true,
  clientId: true,
  clientSecret: true,
  maxConcurrent: true,
}

const authenticateWith: NamesOf<AuthenticateWithOptions> = { ...resource, scheme: true }

const known = { authenticateWith, apiKeys, apiKey, cache, dpop, issuer, keys, jwtBearer, introspection }

/** What is misspelt here would be left out, and more would be let in than was meant. */
export function checkOptionNames(
  prefix: string,
  of: keyof typeof known,
  options: unknown,
  diagnostics: Diagnostics,
): void {
  if (options === undefined) return
  if (typeof options === 'object' && options !== null)
    checkNames(options, Object.keys(known[of]), diagnostics, { prefix })
  // Not what it is instead, which may be a key.
  else diagnostics.add('bad-option', `${prefix.replace(/[.:] ?$/, '')} is not an object. Give one.`)
}

/** Those of options, and of the objects in them that both kinds of tokens have. */
export function checkTokenOptionNames(
  caller: 'jwtBearer' | 'introspection',
  options: Pick<SharedOptions, 'cache' | 'dpop'>,
  diagnostics: Diagnostics,
): void {
  checkOptionNames(`${caller}: `, caller, options, diagnostics)
  checkOptionNames(`${caller}: cache.`, 'cache', options.cache, diagnostics)
  checkOptionNames(`${caller}: dpop.`, 'dpop', options.dpop, diagnostics)
}
