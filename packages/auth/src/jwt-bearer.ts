import type { Authenticator } from '@toolwright/core'
import { checkJwtOptions } from './check-jwt-options.js'
import { createAuthenticator } from './create-authenticator.js'
import type { JwtBearerOptions } from './options.js'
import { TokenAuthenticator } from './token-authenticator.js'

/**
 * Authenticates callers by the signed access tokens (JWTs) of one or several issuers.
 * Invalid options are reported when a server boots with the authenticator.
 *
 * @example
 * jwtBearer({
 *   issuer: 'https://login.example.com/realms/main',
 *   audience: 'https://mcp.example.com/mcp',
 * })
 */
export function jwtBearer(options: JwtBearerOptions): Authenticator {
  return createAuthenticator('jwtBearer', options, checkJwtOptions, (settings) => {
    // The verifier is loaded on demand: most servers over stdio import this package without using it.
    const verifier = import('./jwt-verifier.js').then(({ JwtVerifier }) => new JwtVerifier(settings))
    return new TokenAuthenticator({ verify: async (token) => (await verifier).verify(token) }, settings)
  })
}
