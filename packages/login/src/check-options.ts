import type { LoginStore } from '@toolwright/core'
import { type Diagnostics, isObject, type ReadOptions, readNamedOptions } from '@toolwright/core/options'
import { innerScope, neutralScopes } from './engine/normalize-request.js'
import { createRedirectRule, type RedirectRule } from './engine/redirect-uris.js'
import { type LoginOptions, loginOptions } from './options.js'
import { InMemoryLoginStore } from './store/in-memory-login-store.js'
import type { LoginProvider } from './upstream/login-provider.js'

export interface LoginSettings extends Omit<ReadOptions<typeof loginOptions>, 'url' | 'secret' | 'provider' | 'store'> {
  readonly url: URL
  /** Origin of the URL, without a slash: the issuer of all tokens. */
  readonly issuer: string
  readonly secrets: readonly [string, ...string[]]
  readonly provider: LoginProvider
  readonly store: LoginStore
  readonly redirectRule: RedirectRule
}

const minSecretLength = 32

/** Checks the options and fills in the defaults. `null` if `diagnostics` is not empty. */
export function checkLoginOptions(options: LoginOptions, diagnostics: Diagnostics): LoginSettings | null {
  const read = readNamedOptions(loginOptions, options, { prefix: 'login: ' }, diagnostics)
  const url = checkUrl('login: url', read.url, diagnostics)
  const secrets = checkSecrets(read.secret, diagnostics)
  const provider = checkProvider(read.provider, diagnostics)
  const redirectRule = createRedirectRule(read.redirects)
  for (const { id, redirectUris } of read.clients) {
    for (const uri of redirectUris) {
      const fault = redirectRule(uri)
      if (fault === null) continue
      diagnostics.add(
        'bad-option',
        `login: the client '${id}' has the redirect URI '${uri}', which ${fault}. Change it.`,
      )
    }
  }
  checkScopes(read.scopes, diagnostics)
  if (diagnostics.count > 0 || url === null || secrets === null || provider === null) return null
  const store = read.store ?? new InMemoryLoginStore()
  return { ...read, url, issuer: url.origin, secrets, provider, store, redirectRule }
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

function checkUrl(option: string, given: unknown, diagnostics: Diagnostics): URL | null {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    diagnostics.addBadOption(option, given, "Give the public URL: 'https://mcp.example.com/mcp'.")
    return null
  }
  if (url.protocol === 'http:' && !loopback.includes(url.hostname)) {
    diagnostics.add(
      'bad-option',
      `${option} is '${url.href}', so tokens would travel unencrypted. Give an https: URL. http: is allowed for this machine only.`,
    )
    return null
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    diagnostics.add('bad-option', `${option} has a user name, a query or a fragment. Give a scheme, a host and a path.`)
    return null
  }
  return url
}

function checkSecrets(given: unknown, diagnostics: Diagnostics): readonly [string, ...string[]] | null {
  const all: unknown[] = Array.isArray(given) ? given : [given]
  const good = all.filter((one): one is string => typeof one === 'string' && one.length >= minSecretLength)
  const [first, ...others] = good
  if (first !== undefined && good.length === all.length) return [first, ...others]
  const length = all.find((one) => typeof one === 'string' && one.length < minSecretLength)
  const found = length === undefined ? 'is not a string' : `has fewer than ${minSecretLength} characters`
  // The value is not repeated, because it may be a secret.
  diagnostics.add(
    'bad-option',
    `login: secret ${found}. Give a random string: secret: process.env.LOGIN_SECRET. To create one: openssl rand -base64 48.`,
  )
  return null
}

function checkProvider(given: unknown, diagnostics: Diagnostics): LoginProvider | null {
  const provider = given as Partial<LoginProvider> | null
  if (!isObject(provider) || typeof provider.preset !== 'string' || provider.server === undefined) {
    diagnostics.addBadOption(
      'login: provider',
      given,
      'Give the result of github({ … }), oidc({ … }) or another preset.',
    )
    return null
  }
  const before = diagnostics.count
  const { preset, clientId, clientSecret, server } = provider
  for (const [name, value] of Object.entries({ clientId, clientSecret })) {
    if (typeof value === 'string' && value !== '') continue
    diagnostics.add('bad-option', `${preset}: ${name} is missing. Give the value from the provider's console.`)
  }
  for (const fault of provider.faults ?? []) diagnostics.add('bad-option', `${preset}: ${fault}`)
  const urls = typeof server === 'string' ? [server] : Object.values(server)
  for (const url of urls) checkUrl(`${preset}: the URL of the provider`, url, diagnostics)
  return diagnostics.count === before ? (provider as LoginProvider) : null
}

function checkScopes(scopes: readonly string[], diagnostics: Diagnostics): void {
  const bad = scopes.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) || reserved.includes(scope))
  if (bad === undefined) return
  const fix = reserved.includes(bad)
    ? 'which has a meaning of its own. Remove it.'
    : 'which is not a scope: scopes are printable ASCII without spaces, " and \\. Give each scope as a separate string.'
  diagnostics.add('bad-option', `login: scopes has '${bad}', ${fix}`)
}

const reserved = [...neutralScopes, innerScope]
