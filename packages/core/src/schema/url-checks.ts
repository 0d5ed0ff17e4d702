import { type IsFormat, ifNotTooLong, maxShort } from './format-checks.js'
import { spend } from './format-effort.js'

const beforePath = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/i

/** Returns the part before the path: scheme, user and host. The library only checks this part of a long URI. */
function startOf(text: string): string {
  return (beforePath.exec(text.slice(0, maxShort)) as unknown as [string])[0]
}

const notInUri = /[^\w!#$%&'()*+,\-./:;=?@~]|%(?![\da-f]{2})/i
const firstDelimiter = /[:/?#]/

/** Checks a URI. URIs can be as long as a message (`data:`), so the rest of a long URI is only scanned. */
export function checkOfUri(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const start = startOf(text)
    // The slash stands for the path, which some URIs require.
    if (start.length === maxShort || !check(`${start}/`)) return false
    const rest = text.slice(start.length)
    // The text before a colon would be a scheme.
    if (start === '' && firstDelimiter.exec(rest)?.[0] === ':') return false
    return rest.indexOf('#') === rest.lastIndexOf('#') && !notInUri.test(rest)
  }
}

const beforePathAsRead = /^(?:[^:/?#]*:)?[/\\]*[^/\\?#]*/

/** Hosts that are decoded first: non-ASCII, Punycode, percent-encoded, or after user information with an `@`. */
const oddHost = /[^\0-\x7f]|xn--|%|@.*@/i
const notRead = /[\t\n\r]/g

/** Non-ASCII hosts are looked up like host names, but faster. */
function spendOnHost(text: string): void {
  const [start] = beforePathAsRead.exec(text.replace(notRead, '')) as unknown as [string]
  if (oddHost.test(start)) spend(1 + start.length / 10)
}

export function checkOfIri(check: IsFormat): IsFormat {
  return ifNotTooLong((text) => {
    spendOnHost(text)
    return check(text)
  })
}

export function checkOfUrl(check: IsFormat): IsFormat {
  return (text) => {
    spendOnHost(text.slice(0, maxShort))
    return text.length <= maxShort ? check(text) : isUrlInParts(text, check)
  }
}

/** Checks a URL. Ajv reads hosts part by part, and searches for the `@` after a password from each colon on. */
export function checkOfAjvUrl(check: IsFormat): IsFormat {
  return (text) => {
    const start = startOf(text)
    spend(start.length / 60)
    // The part before the path then has at most two colons: after the scheme, and before the port.
    if (!text.includes('@')) return countColons(start, 3) < 3 && isUrlInParts(text, check)
    const short = text.slice(0, maxShort)
    spend((countColons(short, maxShort) * short.length) / 250)
    return text.length <= maxShort ? check(text) : isUrlInParts(text, check)
  }
}

/** Counts colons, up to a maximum. */
function countColons(text: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1 && count < most; at = text.indexOf(':', at + 1)) count++
  return count
}

/**
 * Checks long URLs, such as presigned URLs with thousands of characters. After the host, everything but whitespace is
 * valid.
 */
function isUrlInParts(text: string, check: IsFormat): boolean {
  const start = startOf(text)
  const rest = text.slice(start.length)
  // Some libraries reject a query without a path, so one character of the rest is checked, too. After a bare `http:`,
  // the added slash does not replace the missing host: the URL is still rejected.
  const next = rest[0] === '?' || rest[0] === '#' ? rest[0] : '/'
  return start.length < maxShort && check(`${start}${next}`) && !/\s/.test(rest)
}
