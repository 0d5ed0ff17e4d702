import type { LoginProvider } from '../upstream/login-provider.js'
import { oidc, type ProviderOptions } from './oidc.js'

export interface CognitoOptions extends ProviderOptions {
  /** Region of the user pool: `eu-central-1`. */
  readonly region: string
  /** Id of the user pool: `eu-central-1_aBcDeFgHi`. */
  readonly userPoolId: string
}

/**
 * A user pool of Amazon Cognito. The ID token contains the groups, which become roles. Cognito keeps its refresh token, and returns
 * none when it is used.
 */
export function cognito(options: CognitoOptions): LoginProvider {
  const { region, userPoolId, ...others } = options
  const issuer = `https://cognito-idp.${region}.amazonaws.com/${userPoolId}`
  const provider = oidc({ scopes: ['openid', 'email', 'profile'], ...others, issuer, name: 'Amazon Cognito' })
  return { ...provider, preset: 'cognito', readsUserInfo: false, rolesClaim: 'cognito:groups' }
}
