import type { JsonObject } from '@toolwright/core'
import { describeValue } from '@toolwright/core/options'
import { FetchError, getJson, keySetTypes } from './fetch-json.js'
import { isSafeUrl, shownUrl } from './safe-url.js'

/** Timeout of each well-known URL in milliseconds, so that a URL without a response leaves time for the others. */
const placeMs = 2500

export async function discoverKeySet(issuer: string): Promise<unknown> {
  const url = await discoverUrl(issuer, 'jwks_uri')
  try {
    return await getJson(url, { accept: keySetTypes })
  } catch (error) {
    throw new FetchError(describeFailure(url, error), undefined, retryAfterOf(error), { cause: error })
  }
}

/**
 * Finds a URL in an issuer's metadata (RFC 8414, OpenID Connect Discovery).
 *
 * @param member Name of the URL in the metadata.
 * @throws Error with a reason for each well-known URL.
 */
export async function discoverUrl(issuer: string, member: 'jwks_uri' | 'introspection_endpoint'): Promise<URL> {
  const failures: string[] = []
  let retryAfterMs = 0
  for (const place of placesOf(issuer)) {
    try {
      // URLs are tried in order: the first valid document is used.
      // oxlint-disable-next-line no-await-in-loop
      return readUrl(await getJson(place, { maxMs: placeMs }), issuer, member)
    } catch (error) {
      failures.push(describeFailure(place, error))
      retryAfterMs = Math.max(retryAfterMs, retryAfterOf(error))
    }
  }
  throw new FetchError(failures.join('; '), undefined, retryAfterMs)
}

function retryAfterOf(error: unknown): number {
  return error instanceof FetchError ? error.retryAfterMs : 0
}

/**
 * Returns the well-known URLs of an issuer, in the order that the MCP specification requires of clients ("Authorization
 * Server Metadata Discovery").
 */
function placesOf(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  // Removes a duplicate: without a path, the last two URLs are equal.
  return [...new Set(places)].map((place) => new URL(place))
}

function readUrl(document: unknown, issuer: string, member: string): URL {
  const metadata = (document ?? {}) as JsonObject
  // RFC 8414, section 3.3 requires an exact comparison. Otherwise, one tenant of a host could impersonate another.
  if (metadata['issuer'] !== issuer) {
    throw new Error(`issuer is ${describeUrl(metadata['issuer'])} instead of '${issuer}'`)
  }
  const value = metadata[member]
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  // A remote issuer must not refer to this machine.
  const isAllowed = url !== null && isSafeUrl(url) && (url.protocol === 'https:' || issuer.startsWith('http:'))
  if (!isAllowed) throw new Error(`${member} is ${describeUrl(value)}, not an https: URL`)
  // A URL with a password is rejected here, because the error of `fetch` would contain the password.
  if (url.username === '' && url.password === '') return url
  throw new Error(`${member} is ${describeUrl(value)}, which contains a user name or password`)
}

function describeFailure(url: URL, error: unknown): string {
  return `${shownUrl(url)}: ${String(error)}`
}

/** Describes an issuer's invalid value for the log, without the secrets that its URL may contain. */
function describeUrl(value: unknown): string {
  // Without `@`, `?` and `#`, the value contains no name, password or query.
  if (typeof value !== 'string' || !/[@?#]/.test(value)) return describeValue(value)
  const isUrl = /^https?:\/\//i.test(value) && URL.canParse(value)
  return isUrl ? `the string '${shownUrl(new URL(value))}'` : 'a string that is not an http: or https: URL'
}
