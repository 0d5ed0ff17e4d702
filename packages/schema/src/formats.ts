import { spend } from './max-work.js'
import { Format } from './typebox.js'

// TypeBox checks strings of any length. Some formats take more than linear time: `regex` and `url` take minutes for a string of
// megabytes. Each function `checkOf…` therefore wraps TypeBox's check of a format. Wrapped checks that take microseconds
// report their time with `spend`. The times were measured with the slowest strings. The formats of these checks are listed in
// `costlyFormats`, and their total time for one value is limited.

type IsFormat = (text: string) => boolean

/**
 * Maximum length of short formats in characters. The margin is wide: an email address has at most 254 characters, and a host name
 * at most 253.
 */
const maxShort = 1_000

const maxLong = 65_536

function ifShort(check: IsFormat): IsFormat {
  return (text) => text.length <= maxShort && check(text)
}

function ifNotTooLong(check: IsFormat): IsFormat {
  return (text) => text.length <= maxLong && check(text)
}

const likeDateTime = /^\d{4}-\d\d-\d\d[t\s][\d:.z+-]*(?:\[|$)/i

/** First tests a simple pattern, because TypeBox would split the string at each `T`. */
function checkOfDateTime(check: IsFormat): IsFormat {
  return ifShort((text) => likeDateTime.test(text) && check(text))
}

const notAscii = /[^\0-\x7f]/

/** Checks an email address. TypeBox normalizes non-ASCII strings, which takes time. */
function checkOfIdnEmail(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (notAscii.test(text)) spend(text.length / 25)
    return check(text)
  })
}

const labels = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** Checks a host name. TypeBox looks up each character of a non-ASCII name, even if the name is encoded as `xn--`. */
function checkOfHostname(check: IsFormat): IsFormat {
  return ifShort((text) => {
    if (text.length <= 253 && !text.includes('--') && labels.test(text)) return true
    spend(1 + text.length * (notAscii.test(text) ? 1 : 0.4))
    return check(text)
  })
}

const beforePath = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/i

/** Returns the part before the path: scheme, user and host. The check of a long URI only needs this part. */
function startOf(text: string): string {
  return (beforePath.exec(text.slice(0, maxShort)) as unknown as [string])[0]
}

const notInUri = /[^\w!#$%&'()*+,\-./:;=?@~]|%(?![\da-f]{2})/i
const firstDelimiter = /[:/?#]/

/** Checks a URI. URIs can be as long as a message (`data:`), so the rest of a long URI is only scanned. */
function checkOfUri(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const start = startOf(text)
    // Some URIs require a path: the slash replaces this path.
    if (start.length === maxShort || !check(`${start}/`)) return false
    const rest = text.slice(start.length)
    // The scheme of the URI is too long to be valid.
    if (start === '' && firstDelimiter.exec(rest)?.[0] === ':') return false
    return rest.indexOf('#') === rest.lastIndexOf('#') && !notInUri.test(rest)
  }
}

const beforePathAsRead = /^(?:[^:/?#]*:)?[/\\]*[^/\\?#]*/

/** Hosts that must be decoded before the check: non-ASCII, Punycode, percent-encoded, or after user information with an `@`. */
const oddHost = /[^\0-\x7f]|xn--|%|@.*@/i
const notRead = /[\t\n\r]/g

function spendOnHost(text: string): void {
  const [start] = beforePathAsRead.exec(text.replace(notRead, '')) as unknown as [string]
  if (oddHost.test(start)) spend(1 + start.length / 10)
}

function checkOfIri(check: IsFormat): IsFormat {
  return ifNotTooLong((text) => {
    spendOnHost(text)
    return check(text)
  })
}

function checkOfUrl(check: IsFormat): IsFormat {
  return (text) => {
    spendOnHost(text.slice(0, maxShort))
    return text.length <= maxShort ? check(text) : isUrlInParts(text, check)
  }
}

/**
 * Checks long URLs, such as presigned URLs with thousands of characters. After the host, all characters except whitespace are
 * valid.
 */
function isUrlInParts(text: string, check: IsFormat): boolean {
  const start = startOf(text)
  const rest = text.slice(start.length)
  // The slash replaces the path, but not a missing host: `http:/` is invalid.
  const next = rest[0] === '?' || rest[0] === '#' ? rest[0] : '/'
  return start.length < maxShort && check(`${start}${next}`) && !/\s/.test(rest)
}

const propertyEscape = /\\p\{/gi

/**
 * Checks the format `regex`. V8 compiles each expression with the flag `u`. For an invalid expression, V8 takes twice the time,
 * because V8 also describes the error. Each Unicode property, such as `\p{Letter}`, takes a tenth of a millisecond.
 */
function checkOfRegex(check: IsFormat): IsFormat {
  return ifNotTooLong((text) => {
    spend(5 + text.length / 10 + 100 * (text.match(propertyEscape)?.length ?? 0))
    return check(text)
  })
}

const shortFormats = 'date time duration uuid ipv4 ipv6 email'.split(' ')
const longFormats = 'uri-template json-pointer json-pointer-uri-fragment relative-json-pointer'.split(' ')

type Bound = (check: IsFormat) => IsFormat

const bounded: ReadonlyMap<string, Bound> = new Map<string, Bound>([
  ...shortFormats.map((name) => [name, ifShort] as const),
  ...longFormats.map((name) => [name, ifNotTooLong] as const),
  ['date-time', checkOfDateTime],
  ['regex', checkOfRegex],
  ['idn-email', checkOfIdnEmail],
  ['hostname', checkOfHostname],
  ['idn-hostname', checkOfHostname],
  ['uri', checkOfUri],
  ['uri-reference', checkOfUri],
  ['iri', checkOfIri],
  ['iri-reference', checkOfIri],
  ['url', checkOfUrl],
])

/**
 * Limits the time of TypeBox's format checks, and adds the format `byte` of OpenAPI. Applies to the whole process, because TypeBox
 * has a single registry.
 */
export function boundTypeBoxFormats(): void {
  for (const [name, bound] of bounded) {
    const check = Format.Get(name)
    if (check !== undefined) Format.Set(name, bound(check))
  }
  if (!Format.Has('byte')) Format.Set('byte', isBase64)
}

/** Formats of OpenAPI for numbers. TypeBox checks formats of strings only. */
export const numberFormats: ReadonlyMap<unknown, (value: number) => boolean> = new Map<
  unknown,
  (value: number) => boolean
>([
  ['int32', (value) => Number.isInteger(value) && value === (value | 0)],
  ['int64', Number.isInteger],
])

function isBase64(text: string): boolean {
  const line = text.replace(/[\r\n]/g, '')
  return line.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(line)
}
