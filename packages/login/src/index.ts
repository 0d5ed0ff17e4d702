// The public API.
export type { LoginStore } from '@toolwright/core'
export { login } from './login.js'
export type {
  LoginAttempt,
  LoginClaimOptions,
  LoginClient,
  LoginOptions,
  PageOptions,
  PreRegisteredClient,
} from './options.js'
export type { PageWords } from './page/words.js'
export { type CognitoOptions, cognito } from './providers/cognito.js'
export { type EntraOptions, entra } from './providers/entra.js'
export { type GithubOptions, github } from './providers/github.js'
export { type GoogleOptions, google } from './providers/google.js'
export { type OidcOptions, oidc, type ProviderOptions } from './providers/oidc.js'
export { type OktaOptions, okta } from './providers/okta.js'
export { FileLoginStore } from './store/file-login-store.js'
export { InMemoryLoginStore } from './store/in-memory-login-store.js'
export type { Claims, LoginProvider } from './upstream/login-provider.js'
export { upstreamToken } from './upstream-token.js'
