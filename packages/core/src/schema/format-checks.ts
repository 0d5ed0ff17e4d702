import { spend } from './format-effort.js'

// How formats are checked, given the library's way, so that no text of a message takes long and the effort for many is
// known. What is spent was measured, with the texts that take longest. What spends is one of the `costlyFormats`: else
// nothing bounds it.

/** Whether a text is of a format. */
export type IsFormat = (text: string) => boolean

/** Characters: no value of a short format is nearly as long. An email address has at most 254, a host name 253. */
const maxShort = 1_000

/** Those that may be long, but not megabytes. */
const maxLong = 65_536

export function isShort(check: IsFormat): IsFormat {
  return (text) => text.length <= maxShort && check(text)
}

export function isNotTooLong(check: IsFormat): IsFormat {
  return (text) => text.length <= maxLong && check(text)
}

const likeDateTime = /^\d{4}-\d\d-\d\d[t\s][\d:.z+-]*(?:\[|$)/i

/** The libraries split a text at each `T` before they look at it. */
export function isDateTime(check: IsFormat): IsFormat {
  return isShort((text) => likeDateTime.test(text) && check(text))
}

const notAscii = /[^\0-\x7f]/

/** The library normalizes those beyond ASCII. */
export function isIdnEmail(check: IsFormat): IsFormat {
  return isShort((text) => {
    if (notAscii.test(text)) spend(text.length / 25)
    return check(text)
  })
}

const labels = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** Those of other characters, also where they are spelt with these (`xn--`), are looked up character by character. */
export function isHostname(check: IsFormat): IsFormat {
  return isShort((text) => {
    if (text.length <= 253 && !text.includes('--') && labels.test(text)) return true
    spend(1 + text.length * (notAscii.test(text) ? 1 : 0.4))
    return check(text)
  })
}

const beforePath = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/i

/** Up to its path the library checks a long URI, too; that has no more than a host and a user. */
function startOf(text: string): string {
  return (beforePath.exec(text.slice(0, maxShort)) as unknown as [string])[0]
}

const notInUri = /[^\w!#$%&'()*+,\-./:;=?@~]|%(?![\da-f]{2})/i
const firstDelimiter = /[:/?#]/

/** A URI may be as long as a message, as those with `data:` are: the long part of one takes a plain look. */
export function isUri(check: IsFormat): IsFormat {
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

/** With what else is not read as it stands: encoded characters, and a user with an `@` in it. */
const oddHost = /[^\0-\x7f]|xn--|%|@.*@/i
const notRead = /[\t\n\r]/g

/** Hosts beyond ASCII are looked up as host names are, though faster. */
function spendOnHost(text: string): void {
  const [start] = beforePathAsRead.exec(text.replace(notRead, '')) as unknown as [string]
  if (oddHost.test(start)) spend(1 + start.length / 10)
}

export function isIri(check: IsFormat): IsFormat {
  return isNotTooLong((text) => {
    spendOnHost(text)
    return check(text)
  })
}

export function isUrl(check: IsFormat): IsFormat {
  return (text) => {
    spendOnHost(text.slice(0, maxShort))
    return text.length <= maxShort ? check(text) : isUrlInParts(text, check)
  }
}

/** Ajv reads hosts part by part, and looks for the `@` after a user's password from each colon on. */
export function isUrlOfAjv(check: IsFormat): IsFormat {
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

/** As far as that. */
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

const notInBase64 = /[^A-Za-z\d+/=\r\n]/

/** Files come as this: a long one takes a plain look, too. With line breaks its length says nothing. */
export function isBase64(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const padding = text.indexOf('=')
    const isWhole = text.length % 4 === 0 || text.includes('\n')
    return isWhole && (padding === -1 || /^==?[\r\n]*$/.test(text.slice(padding))) && !notInBase64.test(text)
  }
}

/** V8 compiles each expression, and takes as long again to say what is wrong with one. */
export function isRegexOfAjv(check: IsFormat): IsFormat {
  return isNotTooLong((text) => {
    spend(5 + text.length / 10)
    return check(text)
  })
}

/** TypeBox has them compiled with the flag `u`. */
export function isRegex(check: IsFormat): IsFormat {
  return isRegexOfAjv((text) => {
    const plain = withoutProperties(text)
    return plain !== null && check(plain)
  })
}

const escapes = /\\(?:[pP]\{([^{}]*)\}|[^])/g

/**
 * An expression that is valid when the given one is: V8 takes a tenth of a millisecond to look up each `\p{Letter}`, which
 * stands for characters as `\d` does. `null` when it has a property that does not exist.
 */
function withoutProperties(pattern: string): string | null {
  let hasUnknown = false
  const plain = pattern.replace(escapes, (escape, property?: string) => {
    if (property === undefined || hasUnknown) return escape
    hasUnknown = !isProperty(property)
    return '\\d'
  })
  return hasUnknown ? null : plain
}

/** Unicode has some hundred. */
const knownProperties = new Set<string>()

function isProperty(name: string): boolean {
  if (knownProperties.has(name)) return true
  spend(100)
  try {
    new RegExp(`\\p{${name}}`, 'u').test('')
  } catch {
    return false
  }
  knownProperties.add(name)
  return true
}
