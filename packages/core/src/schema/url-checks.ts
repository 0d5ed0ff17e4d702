import { type IsFormat, ifNotTooLong, maxShort } from './format-checks.js'
import { spend } from './format-effort.js'

const beforePath = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/i

/** What stands before the path: scheme, user and host. Of a long URI, the library checks only that. */
function startOf(text: string): string {
  return (beforePath.exec(text.slice(0, maxShort)) as unknown as [string])[0]
}

const notInUri = /[^\w!#$%&'()*+,\-./:;=?@~]|%(?![\da-f]{2})/i
const firstDelimiter = /[:/?#]/

/** A URI may be as long as a message, as those with `data:` are: the long part of one takes a plain look. */
export function checkOfUri(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const start = startOf(text)
    // The slash stands for a path: some URIs need one.
    if (start.length === maxShort || !check(`${start}/`)) return false
    const rest = text.slice(start.length)
    // What stands before a colon would be its scheme.
    if (start === '' && firstDelimiter.exec(rest)?.[0] === ':') return false
    return rest.indexOf('#') === rest.lastIndexOf('#') && !notInUri.test(rest)
  }
}

const beforePathAsRead = /^(?:[^:/?#]*:)?[/\\]*[^/\\?#]*/

/** Hosts that are decoded before they are read: beyond ASCII, in Punycode, percent-encoded, or behind a user with an `@`. */
const oddHost = /[^\0-\x7f]|xn--|%|@.*@/i
const notRead = /[\t\n\r]/g

/** Hosts beyond ASCII are looked up as host names are, though faster. */
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

/** Ajv reads hosts part by part, and looks for the `@` after a user's password from each colon on. */
export function checkOfAjvUrl(check: IsFormat): IsFormat {
  return (text) => {
    const start = startOf(text)
    spend(start.length / 60)
    // Before the path one colon is the scheme's then, and one the port's.
    if (!text.includes('@')) return countColons(start, 3) < 3 && isUrlInParts(text, check)
    const short = text.slice(0, maxShort)
    spend((countColons(short, maxShort) * short.length) / 250)
    return text.length <= maxShort ? check(text) : isUrlInParts(text, check)
  }
}

/** At most so many: it looks no further. */
function countColons(text: string, most: number): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1 && count < most; at = text.indexOf(':', at + 1)) count++
  return count
}

/** Presigned ones have thousands of characters. What follows the host can be anything but space. */
function isUrlInParts(text: string, check: IsFormat): boolean {
  const start = startOf(text)
  const rest = text.slice(start.length)
  // Not each library takes a query without a path. After `http:` alone the slash is refused, and so is the unread host.
  const next = rest[0] === '?' || rest[0] === '#' ? rest[0] : '/'
  return start.length < maxShort && check(`${start}${next}`) && !/\s/.test(rest)
}
