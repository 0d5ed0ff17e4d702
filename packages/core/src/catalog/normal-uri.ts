/** Maximum length of a URI in characters. The size limit of messages alone would allow a URI with a million query parameters. */
export const maxUriLength = 256 * 1024

const escape = '%[0-9A-Fa-f]{2}'

const unescaped = "\\w.~:/?#[\\]@!$&'()*+,;="
const notNormal = new RegExp(`[^${unescaped}-]`)

/**
 * Matches an escape, a stray `%`, or a character that must be escaped. The match of a stray `%` includes the escapes after it:
 * decoding them could form a new escape.
 */
const toNormalize = new RegExp(`(${escape})|%[0-9A-Fa-f]?(?:${escape})*|[^${unescaped}\\uD800-\\uDFFF-]`, 'gu')
const unreserved = /[\w.~-]/
const escapedReserved = /%(?:2[1346-9A-CF]|3[ABDF]|40|5[BD])/g

export function isPlainUri(uri: string): boolean {
  return !notNormal.test(uri)
}

/**
 * Normalizes percent-encoding: `%61` becomes `a`, `%2f` becomes `%2F`, and a space becomes `%20`. A URI longer than
 * {@link maxUriLength} is returned unchanged. Spec: RFC 3986, "Percent-Encoding Normalization".
 */
export function normalUri(uri: string): string {
  return uri.length > maxUriLength || isPlainUri(uri) ? uri : uri.replace(toNormalize, toNormal)
}

function toNormal(text: string, escaped: string | undefined): string {
  if (escaped === undefined) return text.startsWith('%') ? text : encodeURIComponent(text)
  const character = decodeEscape(escaped)
  return unreserved.test(character) ? character : escaped.toUpperCase()
}

/**
 * Decodes the reserved characters of a normal URI, as handlers see them in decoded variables: `a%2Fb` becomes `a/b`. The result
 * is another URI, but a handler could treat both URIs as the same. `%25` stays encoded, so that nothing is decoded twice.
 */
export function withReserved(uri: string): string {
  return uri.replace(escapedReserved, decodeEscape)
}

function decodeEscape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
}
