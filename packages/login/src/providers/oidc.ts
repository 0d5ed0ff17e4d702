import type { LoginProvider } from '../upstream/login-provider.js'

/** Options that all presets share: the registration of this server at the provider. */
export interface ProviderOptions {
  readonly clientId: string
  readonly clientSecret: string
  /** Scopes requested from the provider. Default: depends on the preset. */
  readonly scopes?: readonly string[]
  /** Further parameters of the authorization request, such as `{ prompt: 'select_account' }`. */
  readonly parameters?: Readonly<Record<string, string>>
}

export interface OidcOptions extends ProviderOptions {
  /** The issuer, exactly as in its discovery document. */
  readonly issuer: string
  /** Name on the pages. Default: the host of the issuer. */
  readonly name?: string
  /** How the client secret is sent: `basic` in a header, `post` in the form. Default: `basic`. */
  readonly clientAuthentication?: 'basic' | 'post'
}

/** Any OpenID provider with a discovery document. */
export function oidc(options: OidcOptions): LoginProvider {
  const { issuer, name, clientAuthentication, scopes = ['openid', 'profile', 'email'] } = options
  return {
    ...registrationOf(options),
    preset: 'oidc',
    name: name ?? hostOf(issuer),
    server: issuer,
    scopes,
    readsUserInfo: true,
    ...(clientAuthentication === undefined ? {} : { clientAuthentication }),
  }
}

export function registrationOf({ clientId, clientSecret, parameters }: ProviderOptions) {
  return { clientId, clientSecret, ...(parameters === undefined ? {} : { authorizeParameters: parameters }) }
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}
