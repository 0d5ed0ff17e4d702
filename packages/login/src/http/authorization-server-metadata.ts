import type { LoginSettings } from '../check-options.js'

/**
 * Creates the document about the login (RFC 8414). It is the same at the URLs of OAuth and of OpenID: some clients read only the
 * second.
 */
export function authorizationServerMetadata(
  { issuer, registration }: LoginSettings,
  scopes: readonly string[],
): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...(registration === 'dynamic' ? { registration_endpoint: `${issuer}/register` } : {}),
    revocation_endpoint: `${issuer}/revoke`,
    scopes_supported: [...scopes, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    ...authenticationOf('token', registration),
    // Without this member, the default is `client_secret_basic` only (RFC 8414, section 2).
    ...authenticationOf('revocation', registration),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...(registration === false ? {} : { client_id_metadata_document_supported: true }),
  }
}

function authenticationOf(endpoint: 'token' | 'revocation', registration: LoginSettings['registration']): object {
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  const name = `${endpoint}_endpoint_auth`
  if (registration === false) return { [`${name}_methods_supported`]: methods }
  return {
    [`${name}_methods_supported`]: [...methods, 'private_key_jwt'],
    [`${name}_signing_alg_values_supported`]: ['RS256', 'ES256', 'EdDSA'],
  }
}
