import type { ResourceMetadata } from '@toolwright/core'
import { scopePattern } from '@toolwright/core/host'
import { type Diagnostics, describeValue, type ReadOptions } from '@toolwright/core/options'
import type { ProtectedResourceOptions, resourceOptions, SignatureAlgorithm } from './options.js'
import { isSafeUrl } from './safe-url.js'

export function checkUrl(option: string, value: unknown, diagnostics: Diagnostics): URL | undefined {
  const text = value instanceof URL ? value.href : value
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    diagnostics.addBadOption(option, value, 'Give an absolute URL: https://login.example.com.')
    return undefined
  }
  if (isSafeUrl(url)) return url
  // The credentials are removed: messages about options may be logged.
  const { href } = Object.assign(new URL(url), { username: '', password: '' })
  diagnostics.add(
    'bad-option',
    `${option} is '${href}'. An attacker on the network could forge its responses. ` +
      'Give an https: URL. http: is allowed for this machine only.',
  )
  return undefined
}

/**
 * Checks a URL that is fetched. Rejects a password in the URL, because the error of `fetch` would contain the password.
 */
export function checkFetchedUrl(option: string, value: unknown, diagnostics: Diagnostics): URL | undefined {
  const url = checkUrl(option, value, diagnostics)
  if (url === undefined || (url.username === '' && url.password === '')) return url
  diagnostics.add('bad-option', `${option} has a user name or password, but requests never send them. Remove them.`)
  return undefined
}

/** @param discovered Option that replaces the metadata, for the message; `null` if no metadata is fetched. */
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
    `${caller}: issuer has more than a host and a path, such as a query. No metadata URL can be derived from it. Give ${discovered}.`,
  )
  return undefined
}

export function checkScopes(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const isWord = (one: unknown): boolean => typeof one === 'string' && one !== ''
  if (!Array.isArray(given) || !given.every(isWord)) {
    diagnostics.addBadOption(option, given, 'Give an array of strings.')
    return false
  }
  const bad = (given as string[]).find((scope) => !scopePattern.test(scope))
  if (bad === undefined) return true
  diagnostics.add(
    'bad-option',
    `${option} has ${describeValue(bad)}, which no token can grant: scopes are printable ASCII without spaces, " and \\. ` +
      'Give each scope as a separate string.',
  )
  return false
}

export function checkSupportedScopes(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!checkScopes(given, option, diagnostics)) return false
  if (!(given as string[]).includes('offline_access')) return true
  const fault = "has 'offline_access', which clients request from the authorization server, not from this server"
  diagnostics.add('bad-option', `${option} ${fault}. Remove it.`)
  return false
}

/**
 * Only public-key algorithms are accepted. With algorithms for shared secrets, an attacker could use the public key of
 * an issuer as the secret.
 */
const publicKeyAlgorithms = Object.keys({
  RS256: true,
  RS384: true,
  RS512: true,
  PS256: true,
  PS384: true,
  PS512: true,
  ES256: true,
  ES384: true,
  ES512: true,
  EdDSA: true,
  Ed25519: true,
} satisfies Record<SignatureAlgorithm, true>)

export function checkAlgorithms(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const list = Array.isArray(given) ? (given as unknown[]) : [given]
  const bad = list.find((algorithm) => !publicKeyAlgorithms.includes(algorithm as string))
  if (list.length > 0 && bad === undefined) return true
  diagnostics.add(
    'bad-option',
    `${option} ${list.length === 0 ? 'is empty' : `has ${describeValue(bad)}`}. Tokens must be signed with a private ` +
      `key of their issuer. Give some of ${publicKeyAlgorithms.join(', ')}.`,
  )
  return false
}

/**
 * Returns an audience and its equal spellings. Some clients send the normal form of the URL as `resource`, and issuers
 * copy it to `aud`. Only a bare origin means the same with and without the slash.
 */
function spellingsOf(audience: string): readonly string[] {
  if (!/^https?:\/\//i.test(audience) || !URL.canParse(audience)) return [audience]
  const { href, origin } = new URL(audience)
  return href === `${origin}/` ? [audience, href, origin] : [audience, href]
}

/** @returns The audiences that are strings and not empty, in all their spellings. */
export function checkAudience(caller: string, audience: unknown, diagnostics: Diagnostics): string[] {
  const audiences: unknown[] = Array.isArray(audience) ? (audience as unknown[]) : [audience]
  const good = audiences.filter((value): value is string => typeof value === 'string' && value !== '')
  if (good.length > 0 && good.length === audiences.length) return [...new Set(good.flatMap(spellingsOf))]
  const fix =
    'Without an audience, tokens for any other server would be accepted. Give the value of aud in tokens for this ' +
    "server: audience: 'https://mcp.example.com/mcp'."
  diagnostics.addBadOption(`${caller}: audience`, audience, fix)
  return good
}

/**
 * Checks and returns the server's URL for the resource metadata: the option `resource`, or the first audience that is a
 * URL.
 */
export function checkResource(
  caller: string,
  { resource }: Pick<ProtectedResourceOptions, 'resource'>,
  audience: readonly string[],
  diagnostics: Diagnostics,
): string | false {
  if (resource === false) return false
  const value = resource ?? audience.find((text) => /^https?:\/\//i.test(text))
  if (value === undefined) {
    diagnostics.add(
      'bad-option',
      `${caller}: resource is missing, and no audience is a URL. Clients find the token issuers in the resource's metadata. Give ` +
        "the server's URL as clients know it: resource: 'https://mcp.example.com/mcp'. Or set resource: false to serve no metadata.",
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
  // The metadata is public, and the message is logged: neither may contain credentials.
  if (username !== '' || password !== '') {
    diagnostics.add('bad-option', `${caller}: resource has a user name or password. Remove them.`)
  } else if (hash !== '') diagnostics.add('bad-option', `${caller}: resource is '${href}'. Give it without a fragment.`)
  else if (!isRoute(pathname)) {
    diagnostics.add('bad-option', `${caller}: resource is '${href}'. Give a URL whose path is valid and contains no *.`)
  }
}

/** Whether the path can be part of a Fastify route: the route of the resource metadata contains the path. */
function isRoute(pathname: string): boolean {
  try {
    return !decodeURI(pathname).includes('*')
  } catch {
    return false
  }
}

/** Creates the resource metadata (RFC 9728). */
export function describeResource(
  caller: string,
  resource: string | false,
  issuers: readonly string[],
  options: ReadOptions<typeof resourceOptions>,
  diagnostics: Diagnostics,
): ResourceMetadata | undefined {
  if (resource === false) return undefined
  const { authorizationServers: servers = issuers, scopesSupported, resourceName, resourceDocumentation } = options
  for (const server of servers) checkUrl(`${caller}: authorizationServers`, server, diagnostics)
  return Object.freeze({
    resource,
    authorization_servers: [...servers],
    ...(scopesSupported === undefined ? {} : { scopes_supported: [...scopesSupported] }),
    bearer_methods_supported: ['header'],
    ...(resourceName === undefined ? {} : { resource_name: resourceName }),
    ...(resourceDocumentation === undefined ? {} : { resource_documentation: resourceDocumentation }),
  })
}
