import type { LoginProvider } from '../upstream/login-provider.js'
import { oidc, type ProviderOptions } from './oidc.js'

export interface GoogleOptions extends ProviderOptions {
  /**
   * Suggests this Google Workspace domain in the account chooser. A user can still choose another account: check `claims.hd` in
   * `allow`.
   */
  readonly hostedDomain?: string
}

/** Google. Requests a refresh token, which Google returns only with these parameters. */
export function google(options: GoogleOptions): LoginProvider {
  const { hostedDomain, parameters, ...others } = options
  const hint: Readonly<Record<string, string>> = hostedDomain === undefined ? {} : { hd: hostedDomain }
  const wanted = { access_type: 'offline', prompt: 'consent select_account', ...hint, ...parameters }
  const provider = oidc({
    ...others,
    issuer: 'https://accounts.google.com',
    name: 'Google',
    clientAuthentication: 'post',
    parameters: wanted,
  })
  return { ...provider, preset: 'google', readsUserInfo: false }
}
