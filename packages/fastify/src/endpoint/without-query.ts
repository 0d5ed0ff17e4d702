/**
 * Removes the query of a URL, or of a header that should be a host, before it is logged or returned. Queries contain tokens
 * under more names and spellings than could be listed.
 */
export function withoutQuery(text: string): string {
  const end = text.search(/[?;#]/)
  return end === -1 ? text : text.slice(0, end)
}
