import type { Ajv, Format as AjvFormat } from 'ajv'
import { Format } from './typebox.js'

/** Whether a text is of a format. */
type IsFormat = (text: string) => boolean

// The libraries check texts of any length, some of them in time that grows faster than the text: `regex` and `url` take
// minutes for one of megabytes.

/** Characters: no value of these is nearly as long. An email address has at most 254, a host name 253. */
const maxShort = 1_000
const shortFormats = 'date time date-time iso-time iso-date-time duration uuid ipv4 ipv6 email idn-email'.split(' ')

/** Those that may be long, but not megabytes. */
const maxLong = 65_536
const longFormats = 'iri iri-reference uri-template json-pointer json-pointer-uri-fragment relative-json-pointer'.split(
  ' ',
)

/** How a format is checked instead, given the library's way. */
const bounded: ReadonlyMap<string, (check: IsFormat) => IsFormat> = new Map([
  ...shortFormats.map((name) => [name, (check: IsFormat) => within(maxShort, check)] as const),
  ...longFormats.map((name) => [name, (check: IsFormat) => within(maxLong, check)] as const),
  ['regex', (check) => within(maxLong, (text) => check(withoutProperties(text)))],
  ['hostname', isHostname],
  ['idn-hostname', isHostname],
  ['uri', isUri],
  ['uri-reference', isUri],
  ['url', isUrl],
  ['byte', isBase64],
])

/** For all of the process: TypeBox has one registry. */
export function boundTypeBoxFormats(): void {
  for (const [name, bound] of bounded) {
    const check = Format.Get(name)
    if (check !== undefined) Format.Set(name, bound(check))
  }
}

export function boundAjvFormats(ajv: Ajv): void {
  for (const [name, bound] of bounded) {
    const format = ajv.formats[name]
    if (format !== undefined) ajv.addFormat(name, boundAjvFormat(format, bound))
  }
}

/** Some are texts or expressions, some functions, and some have an order as well (`formatMinimum`). */
function boundAjvFormat(format: AjvFormat, bound: (check: IsFormat) => IsFormat): AjvFormat {
  if (format instanceof RegExp) return bound((text) => format.test(text))
  if (typeof format === 'function') return bound(format)
  if (typeof format !== 'object' || !('validate' in format)) return format
  const { validate } = format
  if (validate instanceof RegExp) return { ...format, validate: bound((text) => validate.test(text)) } as AjvFormat
  return { ...format, validate: bound(validate as IsFormat) } as AjvFormat
}

function within(maxLength: number, check: IsFormat): IsFormat {
  return (text) => text.length <= maxLength && check(text)
}

const labels = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i

/** Those of other characters, also where they are spelt with these (`xn--`), take the library microseconds for each label. */
function isHostname(check: IsFormat): IsFormat {
  const isPlain = (text: string): boolean => text.length <= 253 && !text.includes('--') && labels.test(text)
  return within(maxShort, (text) => isPlain(text) || check(text))
}

const beforePath = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/i

/** Up to its path the library checks a long URI, too; that has no more than a host and a user. */
function startOf(text: string): string {
  return (beforePath.exec(text.slice(0, maxShort)) as unknown as [string])[0]
}

const notInUri = /[^\w!#$%&'()*+,\-./:;=?@~]|%(?![\da-f]{2})/i
const firstDelimiter = /[:/?#]/

/** A URI may be as long as a message, as those with `data:` are: the long part of one takes a plain look. */
function isUri(check: IsFormat): IsFormat {
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

/** Presigned ones have thousands of characters. What follows the host can be anything but space. */
function isUrl(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const start = startOf(text)
    const rest = text.slice(start.length)
    // Not each library takes a query without a path. After `http:` alone the slash is refused, and so is the unread host.
    const next = rest[0] === '?' || rest[0] === '#' ? rest[0] : '/'
    return start.length < maxShort && check(`${start}${next}`) && !/\s/.test(rest)
  }
}

const notInBase64 = /[^A-Za-z\d+/=\r\n]/

/** Files come as this: a long one takes a plain look, too. With line breaks its length says nothing. */
function isBase64(check: IsFormat): IsFormat {
  return (text) => {
    if (text.length <= maxShort) return check(text)
    const padding = text.indexOf('=')
    const isWhole = text.length % 4 === 0 || text.includes('\n')
    return isWhole && (padding === -1 || /^==?[\r\n]*$/.test(text.slice(padding))) && !notInBase64.test(text)
  }
}

const escapes = /\\(?:[pP]\{([^{}]*)\}|[^])/g
const knownProperties = new Set<string>()

/**
 * An expression that is valid when the given one is: V8 takes a tenth of a millisecond to look up each `\p{Letter}`, which
 * stands for characters as `\d` does.
 */
function withoutProperties(pattern: string): string {
  return pattern.replace(escapes, (escape, property?: string) =>
    property !== undefined && isProperty(property) ? '\\d' : escape,
  )
}

/** Unicode has some hundred. */
function isProperty(name: string): boolean {
  if (knownProperties.has(name)) return true
  try {
    new RegExp(`\\p{${name}}`, 'u').test('')
  } catch {
    return false
  }
  knownProperties.add(name)
  return true
}
