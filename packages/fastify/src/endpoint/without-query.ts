/**
 * What may be logged or repeated of a URL, or of a header that should be a host: tokens are sent in queries under more
 * names than could be listed, and spelled in more ways.
 */
export function withoutQuery(text: string): string {
  const end = text.search(/[?;#]/)
  return end === -1 ? text : text.slice(0, end)
}
