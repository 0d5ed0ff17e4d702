import type { LoginStore } from '@toolwright/core'
import {
  count,
  custom,
  type Diagnostics,
  flag,
  func,
  nested,
  number,
  type OptionsOf,
  oneOf,
  required,
  strings,
  text,
  unchecked,
  withMethods,
} from '@toolwright/core/options'
import { checkWords, type PageWords } from './page/words.js'
import type { Claims, LoginProvider } from './upstream/login-provider.js'

/** A user who logs in, and the client that the user logs in with. */
export interface LoginAttempt {
  /** Claims of the provider. */
  readonly claims: Claims
  readonly client: LoginClient
}

/** A client as the consent page shows it. */
export interface LoginClient {
  readonly id: string
  /** The name that the client gave itself. Anyone can give any name. */
  readonly name: string
  /** Host that the browser returns to, or the scheme of an app. */
  readonly returnsTo: string
}

export interface PreRegisteredClient {
  readonly id: string
  readonly name?: string
  readonly redirectUris: readonly string[]
  /** Secret of the client. Default: none, for a public client. */
  readonly secret?: string
}

export const pageOptions = {
  /** Name of the server on the pages. Default: the name of the server. */
  name: text({ pattern: /./s, fix: 'Give a display name.' }),
  /** URL of a logo: `https:` or `data:`. Default: none. */
  logo: text({ pattern: /^(?:https:\/\/|data:image\/)/, fix: 'Give an https: URL, or a data: URL of an image.' }),
  /** Address or URL where users get help. Default: none. */
  support: text({ pattern: /^(?:https:\/\/|mailto:|[^\s:]+@)/, fix: 'Give a mail address or an https: URL.' }),
  /**
   * Replaces the words of the pages, such as for another language. Default: English.
   * @see docs/how-to/let-people-log-in.md#the-page
   */
  words: custom<Partial<PageWords>>('`Partial<PageWords>`', checkWords),
}

/** Options of the pages that users see. */
export interface PageOptions extends OptionsOf<typeof pageOptions> {}

export const claimOptions = {
  /** Claim with the subject. Default: `sub`; `oid` for Entra. */
  subjectClaim: text({ pattern: /./s }),
  /** Claim with the roles: an array, or a space-separated string. Default: `roles`, or the groups of the preset. */
  rolesClaim: text({ pattern: /./s }),
}

/** Options of the claims that become subject and roles of the principal. */
export interface LoginClaimOptions extends OptionsOf<typeof claimOptions> {}

export const loginOptions = {
  /** Public URL of the endpoint, such as `https://mcp.example.com/mcp`. The login is at its origin. */
  url: required(unchecked<string>('a URL')),
  /**
   * At least 32 random characters that all nodes share. To change the secret, give `[new, old]` until the old logins have ended.
   * @see docs/how-to/let-people-log-in.md#secret
   */
  secret: required(unchecked<string | readonly string[]>('`string`, or several')),
  /** The provider that users log in with: `github({ … })`, `oidc({ … })` or another preset. */
  provider: required(unchecked<LoginProvider>('`LoginProvider`')),
  /**
   * Stores logins. Default: memory, which a restart empties.
   * @see docs/how-to/let-people-log-in.md#stores
   */
  store: withMethods<LoginStore>('`LoginStore`', ['get', 'set', 'add', 'take']),
  /**
   * Whether a user may log in. Asked at login, and again at each refresh. Default: every user of the provider may.
   */
  allow: func<(attempt: LoginAttempt) => boolean | PromiseLike<boolean>>('`(attempt) => boolean`'),
  /** Scopes of this server that clients can request. Default: none. */
  scopes: strings(),
  /** Returns the scopes of a user. Default: all `scopes`. */
  grant: func<(attempt: LoginAttempt) => readonly string[] | PromiseLike<readonly string[]>>('`(attempt) => string[]`'),
  /** Names of the claims with the subject and the roles. */
  claims: nested(claimOptions, { type: '`LoginClaimOptions`' }),
  /**
   * Ways in which unknown clients can log in. `dynamic`: by registration or by the URL of their metadata; `metadata`: by this URL
   * only; `false`: only `clients`. Default: `dynamic`.
   */
  registration: custom<'dynamic' | 'metadata' | false, 'dynamic' | 'metadata' | false>(
    '`dynamic`, `metadata` or `false`',
    checkRegistration,
    { default: 'dynamic' },
  ),
  /** Clients that need no registration. Default: none. */
  clients: custom<readonly PreRegisteredClient[], readonly PreRegisteredClient[]>(
    '`PreRegisteredClient[]`',
    checkClients,
    { default: [] },
  ),
  /**
   * Accepted redirect URIs; `*` stands for any characters except `/`, `?` and `#`. Default: `https`, private schemes such as `cursor:`,
   * and `http` on the user's machine.
   */
  redirects: strings(),
  /** Lifetime of access tokens in seconds. Default: 3,600. */
  accessSeconds: number({ type: 'seconds, 60 to 86,400', default: 3600, min: 60, max: 86_400 }),
  /** Days without a call after which a session ends. Default: 30. */
  refreshDays: number({ type: 'days, up to 365', default: 30, max: 365 }),
  /**
   * Seconds for which a client that lost the response to a refresh gets it again. Default: 30.
   */
  refreshOverlapSeconds: count({ default: 30, min: 0, max: 300 }),
  /**
   * Whether users are asked at each login, or once for each app and its scopes in a browser. `remember` asks again if another site, or an
   * old browser, opens the login. Default: `always`.
   */
  consent: oneOf(['always', 'remember'], { default: 'always' }),
  /**
   * Whether handlers can get tokens of the provider. Default: false.
   * @see docs/how-to/let-people-log-in.md#call-the-providers-apis
   */
  keepUpstreamTokens: flag({ default: false }),
  /** The pages that users see. */
  page: nested(pageOptions, { type: '`PageOptions`' }),
  /** Called after each login, for an audit log. An error that it throws is logged. */
  onLogin: func<(attempt: LoginAttempt) => void>('`(attempt) => void`'),
}

export interface LoginOptions extends OptionsOf<typeof loginOptions> {}

function checkRegistration(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (given === 'dynamic' || given === 'metadata' || given === false) return true
  diagnostics.addBadOption(option, given, "Give 'dynamic', 'metadata' or false.")
  return false
}

function checkClients(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(given)) {
    diagnostics.addBadOption(option, given, 'Give an array of { id, redirectUris }.')
    return false
  }
  const isClient = (one: Partial<PreRegisteredClient> | null): boolean =>
    typeof one?.id === 'string' &&
    one.id !== '' &&
    Array.isArray(one.redirectUris) &&
    one.redirectUris.length > 0 &&
    (one.secret === undefined || typeof one.secret === 'string')
  const wrong = (given as unknown[]).findIndex((one) => !isClient(one as Partial<PreRegisteredClient> | null))
  if (wrong === -1) return true
  diagnostics.add('bad-option', `${option}[${wrong}] is not a client. Give { id, redirectUris: ['https://…'] }.`)
  return false
}
