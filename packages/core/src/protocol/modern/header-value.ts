const prefix = '=?base64?'
const suffix = '?='

/** Visible ASCII, space and tab: what HTTP allows in a value. */
const plainValue = /^[\t\x20-\x7e]*$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes `=?base64?…?=`, the way in which a header carries what HTTP does not allow in one. The marker is exact: in
 * any other case, and without its end, it is a plain value. Spec: transports, "Value Encoding".
 *
 * @returns `null` for a value that is not allowed.
 */
export function decodeHeaderValue(value: string): string | null {
  if (!value.startsWith(prefix) || !value.endsWith(suffix) || value.length < prefix.length + suffix.length) {
    return plainValue.test(value) ? value : null
  }
  const encoded = value.slice(prefix.length, -suffix.length)
  if (!base64.test(encoded)) return null
  // Node decodes leniently: only what encodes to the same text again was valid.
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && bytes.toString('base64') === encoded ? text : null
}
