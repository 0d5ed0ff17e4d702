/**
 * Removes the query from a URL or host before it is logged or returned. A query may contain tokens, under too many
 * names to list.
 */
export function withoutQuery(text: string): string {
  const end = text.search(/[?;#]/)
  return end === -1 ? text : text.slice(0, end)
}
