/** Characters. A message can hold a longer one, with a million members in its query. */
export const maxUriLength = 256 * 1024

const escape = '%[0-9A-Fa-f]{2}'

/** What has one spelling only. */
const plain = "\\w.~:/?#[\\]@!$&'()*+,;="
const unusual = new RegExp(`[^${plain}-]`)

/** An escape; a percent sign that is none, with what it could become one with; what no URI holds as it is. */
const spelled = new RegExp(`(${escape})|%[0-9A-Fa-f]?(?:${escape})*|[^${plain}\\uD800-\\uDFFF-]`, 'gu')
const unreserved = /[\w.~-]/
const escapedReserved = /%(?:2[1346-9A-CF]|3[ABDF]|40|5[BD])/g

/** Whether there is no other spelling of a URI. */
export function isPlainUri(uri: string): boolean {
  return !unusual.test(uri)
}

/**
 * The one spelling of a URI that all spellings share: `%61` is an `a`, `%2f` is `%2F`, and a blank is `%20`. Spec: RFC 3986,
 * "Percent-Encoding Normalization". What is longer than any that is served stays as it is.
 */
export function normalUri(uri: string): string {
  return uri.length > maxUriLength || isPlainUri(uri) ? uri : uri.replace(spelled, toNormal)
}

function toNormal(text: string, escaped: string | undefined): string {
  if (escaped === undefined) return text.startsWith('%') ? text : encodeURIComponent(text)
  const character = decodeEscape(escaped)
  return unreserved.test(character) ? character : escaped.toUpperCase()
}

/**
 * A normal URI as a handler sees it that gets its parts decoded: `a%2Fb` is `a/b`. That is another URI, but it may mean the
 * same. A percent sign stays encoded, so that nothing is decoded twice.
 */
export function withReserved(uri: string): string {
  return uri.replace(escapedReserved, decodeEscape)
}

function decodeEscape(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
}
