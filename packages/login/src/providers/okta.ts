import type { LoginProvider } from '../upstream/login-provider.js'
import { oidc, type ProviderOptions } from './oidc.js'

export interface OktaOptions extends ProviderOptions {
  /** The issuer: `https://acme.okta.com`, or of a custom authorization server, `https://acme.okta.com/oauth2/default`. */
  readonly issuer: string
}

/** Okta. Requests `offline_access`, without which Okta returns no refresh token. Reads roles from `groups`. */
export function okta(options: OktaOptions): LoginProvider {
  const { scopes = ['openid', 'profile', 'email', 'offline_access'] } = options
  return { ...oidc({ ...options, scopes, name: 'Okta' }), preset: 'okta', rolesClaim: 'groups' }
}
