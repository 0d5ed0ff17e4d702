import type { ResourceMetadata } from '@toolwright/core'
import { type Diagnostics, describeValue } from '@toolwright/core/internal'
import { scopePattern } from '@toolwright/core/transport'
import type { ProtectedResourceOptions } from './options.js'
import { isSafeUrl } from './safe-url.js'

export function checkUrl(option: string, value: unknown, diagnostics: Diagnostics): URL | undefined {
  const text = value instanceof URL ? value.href : value
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    diagnostics.addBadOption(option, value, 'Give an absolute URL: https://login.example.com.')
    return undefined
  }
  if (isSafeUrl(url)) return url
  // Not all of it: what is told of options may be logged.
  const { href } = Object.assign(new URL(url), { username: '', password: '' })
  diagnostics.add(
    'bad-option',
    `${option} is '${href}'. Whoever is on the way could forge what comes from there. ` +
      'Give an https: URL; http: is for this machine only.',
  )
  return undefined
}

/** A URL that is asked for something. `fetch` would refuse one with a password each time, with a message that has all of it. */
export function checkFetchedUrl(option: string, value: unknown, diagnostics: Diagnostics): URL | undefined {
  const url = checkUrl(option, value, diagnostics)
  if (url === undefined || (url.username === '' && url.password === '')) return url
  diagnostics.add('bad-option', `${option} has a name or a password in it, and is never fetched so. Give it without.`)
  return undefined
}

/** @param discovered Option whose value the issuer's metadata gives, at addresses that follow from the issuer's own. */
export function checkIssuerUrl(
  caller: string,
  issuer: unknown,
  discovered: string | null,
  diagnostics: Diagnostics,
): URL | undefined {
  const url = checkUrl(`${caller}: issuer`, issuer, diagnostics)
  if (url === undefined || discovered === null || url.href === `${url.origin}${url.pathname}`) return url
  diagnostics.add(
    'bad-option',
    `${caller}: issuer has more than a host and a path, so that nobody knows where its metadata is. Give ${discovered}.`,
  )
  return undefined
}

export function checkText(option: string, value: unknown, fix: string, diagnostics: Diagnostics): void {
  if (typeof value === 'string' && value !== '') return
  diagnostics.addBadOption(option, value, fix)
}

/** @returns Those that are texts. */
export function checkTexts(option: string, value: unknown, diagnostics: Diagnostics): readonly string[] {
  if (value === undefined) return []
  const texts = Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string' && one !== '') : []
  if (!Array.isArray(value) || texts.length < value.length) {
    diagnostics.addBadOption(option, value, 'Give an array of strings.')
  }
  return texts as string[]
}

/** @returns Those that are texts. */
export function checkScopes(option: string, value: unknown, diagnostics: Diagnostics): readonly string[] {
  const scopes = checkTexts(option, value, diagnostics)
  const bad = scopes.find((scope) => !scopePattern.test(scope))
  if (bad !== undefined) {
    diagnostics.add(
      'bad-option',
      `${option} has ${describeValue(bad)}, which no token can grant: scopes are printable ASCII without spaces, " and \\. ` +
        'Give each scope as a string of its own.',
    )
  }
  return scopes
}

export function checkNumber(
  option: string,
  value: unknown,
  least: number,
  most: number,
  diagnostics: Diagnostics,
): void {
  if (typeof value === 'number' && value >= least && value <= most) return
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  diagnostics.addBadOption(option, value, `Give a number ${range}.`)
}

/** @returns Those that are texts. */
export function checkAudience(caller: string, audience: unknown, diagnostics: Diagnostics): readonly string[] {
  const audiences: unknown[] = Array.isArray(audience) ? (audience as unknown[]) : [audience]
  const good = audiences.filter((value): value is string => typeof value === 'string' && value !== '')
  if (good.length > 0 && good.length === audiences.length) return good
  const fix =
    'Without one, tokens that were issued for any other server would be taken. Give what the issuer writes into aud ' +
    "for this one: audience: 'https://mcp.example.com/mcp'."
  diagnostics.addBadOption(`${caller}: audience`, audience, fix)
  return good
}

/** Which URL of the server clients know. */
export function checkResource(
  caller: string,
  { resource }: ProtectedResourceOptions,
  audience: readonly string[],
  diagnostics: Diagnostics,
): string | false {
  if (resource === false) return false
  const value = resource ?? audience.find((text) => /^https?:\/\//i.test(text))
  if (value === undefined) {
    diagnostics.add(
      'bad-option',
      `${caller}: resource is missing, and no audience is a URL. MCP clients learn there who issues their tokens. Give the ` +
        "server's URL as clients know it: resource: 'https://mcp.example.com/mcp'. Or give false to tell them nothing.",
    )
    return false
  }
  const url = checkUrl(`${caller}: resource`, value, diagnostics)
  if (url !== undefined) checkResourceUrl(caller, url, diagnostics)
  return url === undefined ? false : value
}

function checkResourceUrl(
  caller: string,
  { href, hash, pathname, username, password }: URL,
  diagnostics: Diagnostics,
): void {
  // Not all of it, which everybody would be told.
  if (username !== '' || password !== '') {
    diagnostics.add('bad-option', `${caller}: resource has a name or a password in it. Give it without.`)
  } else if (hash !== '') diagnostics.add('bad-option', `${caller}: resource is '${href}'. Give it without a fragment.`)
  else if (!isRoute(pathname)) {
    diagnostics.add('bad-option', `${caller}: resource is '${href}'. Give one whose path can be read and has no *.`)
  }
}

/** Its metadata is served at that path. */
function isRoute(pathname: string): boolean {
  try {
    return !decodeURI(pathname).includes('*')
  } catch {
    return false
  }
}

/** The document of RFC 9728. */
export function describeResource(
  caller: string,
  resource: string | false,
  issuers: readonly string[],
  options: ProtectedResourceOptions,
  diagnostics: Diagnostics,
): ResourceMetadata | undefined {
  if (resource === false) return undefined
  const { authorizationServers, scopesSupported, resourceName, resourceDocumentation } = options
  const given = checkTexts(`${caller}: authorizationServers`, authorizationServers, diagnostics)
  const servers = authorizationServers === undefined ? issuers : given
  for (const server of servers) checkUrl(`${caller}: authorizationServers`, server, diagnostics)
  const scopes = checkSupportedScopes(caller, scopesSupported, diagnostics)
  checkShownToPeople(caller, options, diagnostics)
  return Object.freeze({
    resource,
    authorization_servers: [...servers],
    ...(scopesSupported === undefined ? {} : { scopes_supported: [...scopes] }),
    bearer_methods_supported: ['header'],
    ...(resourceName === undefined ? {} : { resource_name: resourceName }),
    ...(resourceDocumentation === undefined ? {} : { resource_documentation: resourceDocumentation }),
  })
}

function checkSupportedScopes(caller: string, supported: unknown, diagnostics: Diagnostics): readonly string[] {
  const scopes = checkScopes(`${caller}: scopesSupported`, supported, diagnostics)
  if (scopes.includes('offline_access')) {
    const fault = "scopesSupported has 'offline_access', which is between a client and its authorization server"
    diagnostics.add('bad-option', `${caller}: ${fault}. Take it out.`)
  }
  return scopes
}

function checkShownToPeople(caller: string, options: ProtectedResourceOptions, diagnostics: Diagnostics): void {
  const { resourceName, resourceDocumentation } = options
  if (resourceName !== undefined) {
    checkText(`${caller}: resourceName`, resourceName, 'Give a name for people.', diagnostics)
  }
  if (resourceDocumentation !== undefined && !URL.canParse(resourceDocumentation)) {
    diagnostics.addBadOption(`${caller}: resourceDocumentation`, resourceDocumentation, 'Give the URL of a page.')
  }
}
