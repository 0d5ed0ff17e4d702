import type { JsonObject } from '@toolwright/core'
import { describeValue } from '@toolwright/core/options'
import { fetchDeadline, getJson } from './fetch-json.js'
import { isSafeUrl, shownUrl } from './safe-url.js'

/** Gets the keys that an issuer's metadata leads to, in the time of one fetch. @throws Error that says what failed. */
export async function discoverKeySet(issuer: string): Promise<unknown> {
  const deadline = fetchDeadline()
  const url = await discoverUrl(issuer, 'jwks_uri', deadline)
  try {
    return await getJson(url, deadline)
  } catch (error) {
    throw new Error(describeFailure(url, error), { cause: error })
  }
}

/**
 * Finds a URL in what an issuer says about itself (RFC 8414, OpenID Connect Discovery).
 *
 * @param member Its name there.
 * @throws Error that says of each place where the issuer may say it why it was not found there.
 */
export async function discoverUrl(
  issuer: string,
  member: 'jwks_uri' | 'introspection_endpoint',
  deadline: AbortSignal = fetchDeadline(),
): Promise<URL> {
  const failures: string[] = []
  for (const place of placesOf(issuer)) {
    try {
      // One after another: what the first says is what counts.
      // oxlint-disable-next-line no-await-in-loop
      return readUrl(await getJson(place, deadline), issuer, member)
    } catch (error) {
      failures.push(describeFailure(place, error))
    }
    if (deadline.aborted) break
  }
  throw new Error(failures.join('; '))
}

/** In the order that the MCP specification has for clients ("Authorization Server Metadata Discovery"). */
function placesOf(issuer: string): readonly URL[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  // Without a path the last two are one.
  return [...new Set(places)].map((place) => new URL(place))
}

function readUrl(document: unknown, issuer: string, member: string): URL {
  const metadata = (document ?? {}) as JsonObject
  // RFC 8414, section 3.3: to the letter. Else one tenant of a host could speak for another.
  if (metadata['issuer'] !== issuer) {
    throw new Error(`issuer is ${describeUrl(metadata['issuer'])}, and not '${issuer}'`)
  }
  const value = metadata[member]
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  // An issuer that is elsewhere has nothing to say about this machine.
  const isAllowed = url !== null && isSafeUrl(url) && (url.protocol === 'https:' || issuer.startsWith('http:'))
  if (!isAllowed) throw new Error(`${member} is ${describeUrl(value)}, not an https: URL`)
  // `fetch` would refuse it with a message that has all of it.
  if (url.username === '' && url.password === '') return url
  throw new Error(`${member} is ${describeUrl(value)} with a name or a password in it`)
}

function describeFailure(url: URL, error: unknown): string {
  return `${shownUrl(url)}: ${String(error)}`
}

/** An issuer's mistake goes to the log, but none of the secrets that it may have written into a URL. */
function describeUrl(value: unknown): string {
  // Without these there is no place for a name, a password or a query.
  if (typeof value !== 'string' || !/[@?#]/.test(value)) return describeValue(value)
  const isUrl = /^https?:\/\//i.test(value) && URL.canParse(value)
  return isUrl ? `the string '${shownUrl(new URL(value))}'` : 'a string that is no http: or https: URL'
}
