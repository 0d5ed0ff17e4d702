// The public API.
export type { Caller } from '@toolwright/core'
export { anyOf } from './any-of.js'
export type { ApiKey, ApiKeyOptions } from './api-key-options.js'
export { apiKeys } from './api-keys.js'
export { authenticateWith } from './authenticate-with.js'
export { InMemoryProofStore } from './in-memory-proof-store.js'
export { introspection } from './introspection.js'
export { jwtBearer } from './jwt-bearer.js'
export type {
  AuthenticateWithOptions,
  ClaimOptions,
  DpopOptions,
  IntrospectionOptions,
  IssuerOptions,
  JwtBearerOptions,
  KeyFetchOptions,
  ProtectedResourceOptions,
  SignatureAlgorithm,
  TokenCacheOptions,
} from './options.js'
