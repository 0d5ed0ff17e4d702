import { RequestError } from './errors.js'

/**
 * Reads a value as lenient servers read it: decoded several times, with other spellings of `.` and `/`. Servers and proxies
 * decode `%2F` before or after they resolve `..`.
 */
function lenient(value: string): string {
  let text = value
  for (let round = 0; round < 8; round++) {
    const next = text
      .normalize('NFKC')
      .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/%(?:c0%(?:ae|2e)|e0%80%ae|f0%80%80%ae)|\u2024/gi, '.')
      .replace(/%(?:c0%(?:af|2f)|c1%9c|e0%80%af|f0%80%80%af)|[\u2044\u2215]/gi, '/')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === text) break
    text = next
  }
  return text
}

/** Whether a part of the value is `.` or `..`, in any spelling. */
export function climbs(value: string): boolean {
  return lenient(value)
    .split(/[/\\]/)
    .some((part) => {
      // Some servers cut a segment at `;`, and ignore white space and control characters.
      // oxlint-disable-next-line no-control-regex
      const segment = (part.split(/[;?#]/)[0] as string).replace(/[\x00-\x20\x7f\u00a0\u200b\ufeff]/g, '')
      return segment === '.' || segment === '..'
    })
}

export function requireSafeValue(key: string, value: string): void {
  if (value === '') throw new RequestError(`'${key}' is empty. It is part of the path, so give a value`)
  if (climbs(value))
    throw new RequestError(`'${key}' has a path segment '.' or '..', which leads to another path. Remove it`)
}

/** A part of a path: text of the document, or the name of a parameter. */
export type PathPart = { readonly text: string } | { readonly parameter: string }

export function splitPath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }))
}

/**
 * Whether the URL has the origin and the segments that were written. URLs drop the segments `.` and `..`, drop line breaks, and
 * read `\\` as `/`. They encode characters that a document did not encode, such as spaces.
 */
export function isUnchanged(url: URL, origin: string, pathname: string): boolean {
  const [found, written] = [url.pathname.split('/'), pathname.split('/')]
  return (
    url.origin === origin && found.length === written.length && !found.some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  )
}
